import { createHash } from 'node:crypto';

/** A bar as far as a strategy decides on it. */
export interface HandledBar {
  /** Its open on the broker's clock, in milliseconds. */
  readonly serverMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Successive live bars of one stream that a strategy has handled, as a line of its log has them. */
export interface HandledBars {
  /** Such as `demo:EURUSD@M1`. */
  readonly stream: string;
  /** Opens of the first and the last one, in milliseconds on the broker's clock. */
  readonly firstServerMs: number;
  readonly lastServerMs: number;
  readonly bars: number;
  /** How many of them were delivered late. */
  readonly late: number;
  /** Of all their times and prices: the same for the same bars. */
  readonly digest: string;
}

/** Text of the line; its details are {@link HandledBars}. */
export const handledBarsText = 'bars handled';

const handledLine = new RegExp(`^\\S+Z DEBUG ${handledBarsText} (\\{.*\\})$`);

/** What a line of the log says about bars; null for any other line, and for one that was cut off. */
export function handledBarsIn(line: string): HandledBars | null {
  const [, json] = handledLine.exec(line) ?? [];
  if (json === undefined) return null;
  try {
    return JSON.parse(json) as HandledBars;
  } catch {
    return null;
  }
}

export function digestOf(bars: readonly HandledBar[]): string {
  const hash = createHash('sha256');
  for (const { serverMs, open, high, low, close } of bars) hash.update(`${serverMs} ${open} ${high} ${low} ${close}\n`);
  return hash.digest('hex').slice(0, 16);
}
