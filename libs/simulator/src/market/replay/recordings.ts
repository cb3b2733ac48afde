import { compactEstMs, isoMs } from './timestamps';

/** One-minute bars of one side of the market: opens of minutes in UTC milliseconds, and four price columns. */
export interface BarRecording {
  readonly kind: 'bars';
  readonly times: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
}

/** Quotes in the order of their times, in UTC milliseconds. */
export interface TickRecording {
  readonly kind: 'ticks';
  readonly times: Float64Array;
  readonly bids: Float64Array;
  readonly asks: Float64Array;
}

export type Recording = BarRecording | TickRecording;

/** A price file that cannot be replayed, naming the line at fault. */
export class RecordingError extends Error {}

interface Shape {
  readonly header: string | null;
  readonly columns: 2 | 4;
  readonly timeOf: (text: string) => number;
}

const shapes: readonly Shape[] = [
  { header: 'timestamp,open,high,low,close', columns: 4, timeOf: isoMs },
  { header: 'timestamp,bid,ask', columns: 2, timeOf: isoMs },
  { header: null, columns: 2, timeOf: compactEstMs },
];

/**
 * Reads a recording in any of the three known shapes: one-minute bars or ticks with a header and ISO-8601 stamps, and
 * ticks without a header on a clock of UTC-5.
 * @throws RecordingError for an unknown shape, a malformed line, or times that go back
 */
export function readRecording(name: string, text: string): Recording {
  const firstLine = text.slice(0, text.indexOf('\n')).trim();
  const shape =
    shapes.find(({ header }) => header === firstLine) ??
    shapes.find(({ header, timeOf }) => header === null && !Number.isNaN(timeOf(firstLine.split(',')[0] ?? '')));
  if (!shape) throw new RecordingError(`${name}: neither bars nor ticks of a known shape`);
  const { times, prices } = readRows(name, text, shape);
  if (times.length === 0) throw new RecordingError(`${name}: holds no prices`);
  const [first = new Float64Array(0), second = first, third = first, fourth = first] = prices;
  return shape.columns === 4
    ? { kind: 'bars', times, open: first, high: second, low: third, close: fourth }
    : { kind: 'ticks', times, bids: first, asks: second };
}

function readRows(name: string, text: string, shape: Shape): { times: Float64Array; prices: Float64Array[] } {
  const lines = text.split('\n');
  const from = shape.header === null ? 0 : 1;
  let to = lines.length;
  while (to > from && (lines[to - 1] ?? '').trim() === '') to--;
  const times = new Float64Array(to - from);
  const prices = Array.from({ length: shape.columns }, () => new Float64Array(to - from));
  let previous = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < times.length; row++) {
    const fields = (lines[from + row] ?? '').split(',');
    const time = shape.timeOf((fields[0] ?? '').trim());
    if (!(time >= previous))
      throw malformed(name, from + row, Number.isNaN(time) ? 'no time' : 'a time that goes back');
    previous = time;
    times[row] = time;
    for (const [at, column] of prices.entries()) {
      const price = Number(fields[at + 1]);
      if (!(price > 0) || !Number.isFinite(price)) throw malformed(name, from + row, 'no price');
      column[row] = price;
    }
  }
  return { times, prices };
}

function malformed(name: string, lineIndex: number, what: string): RecordingError {
  return new RecordingError(`${name}: line ${lineIndex + 1} has ${what}`);
}
