import type { BarColumns, Column } from '@libs/terminal-client';
import { IsoWriter } from '../server-time/iso-time';

const fields = ['time', 'open', 'high', 'low', 'close', 'tick_volume', 'spread', 'real_volume'] as const;

/** Formats a number as JSON. @throws RangeError for a value that JSON cannot represent */
export function jsonNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) throw new RangeError('the terminal returned an invalid number');
  return String(value);
}

/** Writes rows of bars as JSON text, each preceded by a comma, without an object or a Date per row. */
export class BarRowWriter {
  private readonly iso = new IsoWriter();

  /**
   * @param opens open times in milliseconds, UTC or server time
   * @param zone suffix of a time: `Z` for UTC, empty for server time
   */
  write(bars: BarColumns, opens: Column, zone: 'Z' | '', from: number, to: number): string {
    const { time, open, high, low, close, tick_volume, spread, real_volume } = bars;
    let text = '';
    for (let row = from; row < to; row++) {
      text +=
        `,{"time":"${this.iso.seconds(opens[row] ?? NaN)}${zone}","time_server":${jsonNumber(time[row])}` +
        `,"open":${jsonNumber(open[row])},"high":${jsonNumber(high[row])},"low":${jsonNumber(low[row])}` +
        `,"close":${jsonNumber(close[row])},"tick_volume":${jsonNumber(tick_volume[row])},"spread":${jsonNumber(spread[row])}` +
        `,"real_volume":${jsonNumber(real_volume[row])}}`;
    }
    return text;
  }
}

/** The values of the rows, concatenated, to detect changes. */
export function rowValues(bars: BarColumns, opens: Column, from: number, to: number): Float64Array {
  const count = to - from;
  const values = new Float64Array(count * (fields.length + 1));
  for (let row = 0; row < count; row++) values[row] = opens[from + row] ?? NaN;
  fields.forEach((field, column) => {
    const source = bars[field];
    const start = (column + 1) * count;
    for (let row = 0; row < count; row++) values[start + row] = source[from + row] ?? NaN;
  });
  return values;
}

export function hasValues(values: Float64Array, bars: BarColumns, opens: Column, from: number, to: number): boolean {
  const count = to - from;
  if (values.length !== count * (fields.length + 1)) return false;
  if (!sameColumn(values, 0, opens, from, count)) return false;
  return fields.every((field, column) => sameColumn(values, (column + 1) * count, bars[field], from, count));
}

function sameColumn(values: Float64Array, start: number, column: Column, from: number, count: number): boolean {
  for (let row = 0; row < count; row++) if (values[start + row] !== column[from + row]) return false;
  return true;
}
