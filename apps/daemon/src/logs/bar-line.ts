import { createHash } from 'node:crypto';

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
