import { shapes, unknownShape } from './recordings';

/** What can be wrong with a row of a price file. */
export type RowFault = 'inverted' | 'duplicate' | 'mistimed' | 'malformed';

/** A row that cannot be replayed. */
export interface FaultyRow {
  /** Number of its line, from 1. */
  readonly line: number;
  readonly fault: RowFault;
  readonly text: string;
}

/** The rows of a price file, sound and faulty ones apart. */
export interface PriceScan {
  readonly kind: 'bars' | 'ticks';
  /** Rows in all. */
  readonly rows: number;
  readonly faulty: readonly FaultyRow[];
  /** The file without its faulty rows. */
  readonly sound: string;
}

const minuteMs = 60_000;

/**
 * Reads every row of a price file, whatever is wrong with others. Of rows that contradict each other the first counts.
 * @throws RecordingError for an unknown shape
 */
export function scanPrices(name: string, text: string): PriceScan {
  const lines = text.split('\n');
  while (lines.length > 0 && (lines.at(-1) ?? '').trim() === '') lines.pop();
  const first = (lines[0] ?? '').trim();
  const shape =
    shapes.find(({ header }) => header === first) ??
    shapes.find(({ header, timeOf }) => header === null && !Number.isNaN(timeOf(first.split(',')[0] ?? '')));
  if (!shape) throw unknownShape(name, first);
  const isBars = shape.columns === 4;
  const faulty: FaultyRow[] = [];
  const sound: string[] = shape.header === null ? [] : [shape.header];
  const from = sound.length;
  let previousMs = Number.NEGATIVE_INFINITY;
  for (let at = from; at < lines.length; at++) {
    const row = (lines[at] ?? '').trim();
    const [time = '', ...fields] = row.split(',');
    const timeMs = shape.timeOf(time.trim());
    const prices = fields.slice(0, shape.columns).map(Number);
    const fault = faultOf(timeMs, prices, shape.columns, previousMs);
    if (fault === null) {
      sound.push(row);
      previousMs = timeMs;
    } else faulty.push({ line: at + 1, fault, text: row });
  }
  return { kind: isBars ? 'bars' : 'ticks', rows: lines.length - from, faulty, sound: `${sound.join('\n')}\n` };
}

function faultOf(timeMs: number, prices: readonly number[], columns: 2 | 4, previousMs: number): RowFault | null {
  const isWhole = prices.length === columns && prices.every((price) => price > 0 && Number.isFinite(price));
  if (Number.isNaN(timeMs) || !isWhole) return 'malformed';
  if (timeMs < previousMs) return 'mistimed';
  if (columns === 2) return null;
  if (timeMs % minuteMs !== 0) return 'mistimed';
  if (timeMs === previousMs) return 'duplicate';
  const [open = 0, high = 0, low = 0, close = 0] = prices;
  return high < low || Math.max(open, close) > high || Math.min(open, close) < low ? 'inverted' : null;
}
