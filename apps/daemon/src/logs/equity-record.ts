import type { Files } from '@libs/files';
import { LineFile, type LineOwner } from './line-file';
import { formerFile } from './log-line';
import { lastLines } from './last-lines';
import type { StrategyLog } from './strategy-log';

/** What a strategy or a portfolio has earned since its records begin, in the account's currency. */
export interface ResultReading {
  readonly atMs: number;
  /** Of all its deals, costs included. */
  readonly realized: number;
  /** Of its open positions at that time. */
  readonly unrealized: number;
}

/** Readings of a minute each, or of the last minute of each step. */
export interface ResultReadings {
  /** Oldest first. A time without readings is one at which the result was not known, or at which nothing was recorded. */
  readonly readings: readonly ResultReading[];
  /** Deepest fall from a high among the readings of all minutes; null without a reading. */
  readonly maxDrawdown: number | null;
}

/** Size at which a new file is started, in bytes: two files have the readings of at least 60 days. */
const rotateBytes = 4 * 1024 * 1024;

/** The result of one strategy or portfolio, a line for each minute in which it is known. */
export class EquityRecord implements LineOwner {
  private readonly lines: LineFile;
  /** What was written last may be cut off, by the end of an earlier process or by a full disk. */
  private isCutOff = true;
  private isFailing = false;

  constructor(
    private readonly path: string,
    private readonly log: Pick<StrategyLog, 'warning'>,
    private readonly files: Files,
  ) {
    this.lines = new LineFile(path, this, files, rotateBytes);
  }

  note({ atMs, realized, unrealized }: ResultReading): void {
    if (this.isCutOff) this.lines.add('');
    this.isCutOff = false;
    // Without its last sign, a number that was cut off would be another number.
    this.lines.add(`${Math.floor(atMs / 1_000)} ${realized} ${unrealized};`);
  }

  /**
   * @param fromMs readings before it are left out
   * @param everyMinutes the last reading of each step of so many minutes
   */
  async read(fromMs: number, everyMinutes: number): Promise<ResultReadings> {
    await this.flushed();
    const kept: ResultReading[] = [];
    let later = { atMs: Infinity, step: Infinity };
    let least = Infinity;
    let deepest: number | null = null;
    // From the newest to the oldest: a clock that was set back, or a rotation in between, shows no time twice.
    const see = (line: string): boolean => {
      const reading = readingOf(line);
      if (reading === null || reading.atMs >= later.atMs || reading.atMs < fromMs) return false;
      const result = reading.realized + reading.unrealized;
      least = Math.min(least, result);
      deepest = Math.max(deepest ?? 0, result - least);
      const step = Math.floor(reading.atMs / (everyMinutes * 60_000));
      if (step < later.step) kept.push(reading);
      later = { atMs: reading.atMs, step };
      return false;
    };
    const isEnough = (line: string): boolean => (readingOf(line)?.atMs ?? Infinity) < fromMs;
    for (const file of [this.path, formerFile(this.path)]) await lastLines(this.files, file, Infinity, see, isEnough);
    return { readings: kept.reverse(), maxDrawdown: deepest === null ? null : Math.round(deepest * 1e8) / 1e8 };
  }

  async flushed(): Promise<void> {
    await this.lines.flushed();
  }

  droppedLine(): string {
    return '';
  }

  lost(error: unknown): void {
    this.isCutOff = true;
    if (!this.isFailing) {
      const problem = error instanceof Error ? error.message : String(error);
      this.log.warning('the equity cannot be recorded', { problem });
    }
    this.isFailing = true;
  }

  written(): void {
    this.isFailing = false;
  }
}

/** Null for a line that is damaged or cut off. */
function readingOf(line: string): ResultReading | null {
  const [, seconds, realized, unrealized] = /^(\d+) (-?[\d.e+-]+) (-?[\d.e+-]+);$/.exec(line) ?? [];
  const reading = {
    atMs: Number(seconds) * 1_000,
    realized: Number(realized),
    unrealized: Number(unrealized),
  };
  return Object.values(reading).every(Number.isFinite) ? reading : null;
}
