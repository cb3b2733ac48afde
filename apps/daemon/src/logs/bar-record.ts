import type { Files } from '@libs/files';
import { createHash } from 'node:crypto';
import type { BarEvent } from '../core/strategy-event';
import { LineFile, type LineOwner } from './line-file';
import type { StrategyLog } from './strategy-log';

/**
 * The live bars that one strategy has handled, a line each, so that a comparison with a backtest can replay them. It is
 * written in the background; what cannot be written is lost, with a line in the log of the strategy.
 */
export class BarRecord implements LineOwner {
  private readonly lines: LineFile;
  /** What was written last may be cut off, by the end of an earlier process or by a full disk. */
  private isCutOff = true;
  private isFailing = false;

  constructor(
    path: string,
    private readonly log: Pick<StrategyLog, 'warning'>,
    files?: Files,
  ) {
    this.lines = new LineFile(path, this, files);
  }

  /**
   * @param stream such as `demo:EURUSD@M1`
   * @param afterMs open of the bar of the stream that was handled before, on the broker's clock in milliseconds
   */
  note(stream: string, afterMs: number | null, { bar, serverMs, closedMs }: BarEvent): void {
    // Two streams of a strategy may have the same bars.
    if (afterMs !== null && serverMs <= afterMs) return;
    const { open, high, low, close, tickVolume, lateMs } = bar;
    const prices = { open, high, low, close, tickVolume };
    if (this.isCutOff) this.lines.add('');
    this.isCutOff = false;
    this.lines.add(renderBarLine({ stream, afterMs, openMs: serverMs, closedMs, ...prices, lateMs }));
  }

  async flushed(): Promise<void> {
    await this.lines.flushed();
  }

  droppedLine(count: number): string {
    this.log.warning('received bars are not on record: they arrived faster than the disk could write them', { count });
    return '';
  }

  lost(error: unknown): void {
    this.isCutOff = true;
    if (!this.isFailing) {
      const problem = error instanceof Error ? error.message : String(error);
      this.log.warning('received bars cannot be recorded', { problem });
    }
    this.isFailing = true;
  }

  written(): void {
    this.isFailing = false;
  }
}

/** A live bar that a strategy has handled. Times are those of the broker's clock, in milliseconds; prices are bids. */
export interface BarLine {
  /** Such as `demo:EURUSD@M1`. */
  readonly stream: string;
  /**
   * Open of the bar of the stream that the strategy had handled before, live or as its past: there was none in between. Null
   * if it had none.
   */
  readonly afterMs: number | null;
  readonly openMs: number;
  /** When the next bar opened. */
  readonly closedMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
  /** How late it was delivered, as the strategy saw it. */
  readonly lateMs: number;
}

const checkedLine = /^(\[.*\]) ([0-9a-f]{8})$/;

/** A bar as a line of a file, with a checksum: `["demo:EURUSD@M1",…] 0a1b2c3d`. */
export function renderBarLine(bar: BarLine): string {
  const { stream, afterMs, openMs, closedMs, open, high, low, close, tickVolume, lateMs } = bar;
  const text = JSON.stringify([stream, afterMs, openMs, closedMs, open, high, low, close, tickVolume, lateMs]);
  return `${text} ${checksumOf(text)}`;
}

/** Null for a line that is damaged or cut off. */
export function parseBarLine(line: string): BarLine | null {
  const [, text = '', checksum] = checkedLine.exec(line) ?? [];
  if (checksum === undefined || checksumOf(text) !== checksum) return null;
  const [stream, afterMs, ...numbers] = JSON.parse(text) as [string, number | null, ...number[]];
  const [openMs = 0, closedMs = 0, open = 0, high = 0, low = 0, close = 0, tickVolume = 0, lateMs = 0] = numbers;
  return { stream, afterMs, openMs, closedMs, open, high, low, close, tickVolume, lateMs };
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
