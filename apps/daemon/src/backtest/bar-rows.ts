import type { BarPoint } from './backtest-result';

/** Numbers of a bar: time, open, high, low and close. */
export const barWidth = 5;

/** Bars as points, or as rows of {@link barWidth} numbers, one after the other. */
export type Bars = readonly BarPoint[] | Float64Array;

/** The rows of bars. */
export function barRowsOf(bars: Bars): Float64Array {
  // Also of another thread or context, where it is not an instance of this one's class.
  if (ArrayBuffer.isView(bars)) return bars;
  const rows = new Float64Array(bars.length * barWidth);
  bars.forEach((bar, at) => rows.set(bar, at * barWidth));
  return rows;
}
