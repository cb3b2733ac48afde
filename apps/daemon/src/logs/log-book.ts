import { basename, join } from 'node:path';
import type { Clock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import type { Logger } from 'pino';
import { BarRecord } from './bar-record';
import { EquityRecord } from './equity-record';
import { isContinued, lastLines } from './last-lines';
import { formerFile, isoMicros, levels, parseLine, type Level } from './log-line';
import { StrategyLog } from './strategy-log';

export interface LogQuery {
  /** At most so many lines. */
  readonly lines: number;
  /** Only lines after this moment, in microseconds since the epoch. */
  readonly sinceMicros: number | null;
  /** Only lines of this level or a graver one. */
  readonly level: Level;
}

/** Body of `GET /logs/<name>`. */
export interface LogLines {
  readonly name: string;
  readonly lines: readonly string[];
  /** The `since` that continues after these lines; null when there are none. */
  readonly nextSince: string | null;
  /** True when rotation has removed lines that this query asked for. */
  readonly linesRemoved: boolean;
}

/** Owner of a log. */
type LogOwner = 'strategy' | 'portfolio';

/** The logs of all strategies and portfolios, and beside them their equity and the bars that strategies have handled. */
export class LogBook {
  private readonly logs = new Map<string, StrategyLog>();
  private readonly bars = new Map<string, BarRecord>();
  private readonly equities = new Map<string, EquityRecord>();

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    /** The log of the daemon itself. */
    private readonly logger: Logger,
    private readonly files: Files = machineFiles,
  ) {}

  of(name: string, owner: LogOwner = 'strategy'): StrategyLog {
    let log = this.logs.get(name);
    if (!log) {
      log = new StrategyLog(this.fileOf(name), this.clock, this.logger.child({ [owner]: name }), this.files);
      this.logs.set(name, log);
    }
    return log;
  }

  /** The live bars that a strategy has handled. */
  barsOf(name: string): BarRecord {
    let record = this.bars.get(name);
    if (!record) {
      record = new BarRecord(barsFile(this.folder, name), this.of(name), this.files);
      this.bars.set(name, record);
    }
    return record;
  }

  /** The equity of a strategy or portfolio over time. */
  equityOf(name: string): EquityRecord {
    let record = this.equities.get(name);
    if (!record) {
      record = new EquityRecord(fileOf(this.folder, name, 'equity'), this.of(name), this.files);
      this.equities.set(name, record);
    }
    return record;
  }

  /** Whether there is a log of this name, also of a strategy that is removed. */
  async has(name: string): Promise<boolean> {
    // Looked up in the folder's list: a name from outside must not become a path.
    if (/[~\\]/.test(name)) return false;
    const files = await this.files.readdir(this.folder).catch((): string[] => []);
    return files.includes(`${name.replace('/', '~')}.log`);
  }

  /**
   * The newest lines; with `sinceMicros` the oldest ones after it, so that a poller that continues from `nextSince`
   * misses none. `take` overrides which of them are taken.
   */
  async read(
    name: string,
    query: LogQuery,
    take: 'oldest' | 'newest' = query.sinceMicros === null ? 'newest' : 'oldest',
  ): Promise<LogLines> {
    await this.logs.get(name)?.flushed();
    const count = take === 'newest' || query.lines === 0 ? query.lines : Number.POSITIVE_INFINITY;
    const { lines: found, linesRemoved } = await this.newest(name, query, count);
    const lines = take === 'newest' ? found : found.slice(0, query.lines);
    const last = parseLine(lines.at(-1) ?? '')?.micros ?? query.sinceMicros;
    return { name, lines, nextSince: last === null ? null : isoMicros(last), linesRemoved };
  }

  async flushed(): Promise<void> {
    await Promise.all([...this.bars.values(), ...this.equities.values()].map((record) => record.flushed()));
    await Promise.all([...this.logs.values()].map((log) => log.flushed()));
  }

  private async newest(
    name: string,
    { level, sinceMicros }: LogQuery,
    count: number,
  ): Promise<Pick<LogLines, 'lines' | 'linesRemoved'>> {
    if (count === 0) return { lines: [], linesRemoved: false };
    const from = levels.indexOf(level);
    let isReached = false;
    let before = Number.POSITIVE_INFINITY;
    const wanted = (line: string): boolean => {
      const parsed = parseLine(line);
      // A rotation between the two reads shows the same lines once more.
      if (parsed === null || parsed.micros >= before) return false;
      before = parsed.micros;
      return levels.indexOf(parsed.level) >= from;
    };
    const enough = (line: string): boolean => {
      const micros = parseLine(line)?.micros;
      isReached = sinceMicros !== null && micros !== undefined && micros <= sinceMicros;
      return isReached;
    };
    const file = this.fileOf(name);
    let lines = await lastLines(this.files, file, count, wanted, enough);
    if (lines.length === count || isReached) return { lines, linesRemoved: false };
    lines = [...(await lastLines(this.files, formerFile(file), count - lines.length, wanted, enough)), ...lines];
    if (lines.length === count || isReached) return { lines, linesRemoved: false };
    return { lines, linesRemoved: await isContinued(this.files, formerFile(file)) };
  }

  private fileOf(name: string): string {
    return fileOf(this.folder, name, 'log');
  }
}

/** File of the bars that a strategy has handled, in the folder of the logs. */
export function barsFile(folder: string, name: string): string {
  return fileOf(folder, name, 'bars');
}

function fileOf(folder: string, name: string, extension: string): string {
  // A child's name holds a slash, for which a file has a sign that no name may hold.
  return join(folder, basename(`${name.replace('/', '~')}.${extension}`));
}
