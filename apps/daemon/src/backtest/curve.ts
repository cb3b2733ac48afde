/** Equity at the end of a minute of the market. */
export type EquityPoint = readonly [timeMs: number, equity: number];

/** A curve as an array of times and an array of values: years of minutes would otherwise be millions of small arrays. */
export interface CurveColumns {
  /** UTC milliseconds, ascending. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** An equity by time. */
export type Curve = readonly EquityPoint[] | CurveColumns;

/** The columns of a curve. */
export function columnsOf(curve: Curve): CurveColumns {
  if ('times' in curve) return curve;
  const [times, values] = [new Float64Array(curve.length), new Float64Array(curve.length)];
  curve.forEach(([timeMs, value], at) => {
    times[at] = timeMs;
    values[at] = value;
  });
  return { times, values };
}

/**
 * The columns of rows, one after the other in an array.
 * @param width numbers in a row; the first is the time
 * @param column place of the value in a row
 */
export function columnsOfRows(rows: Float64Array, width: number, column: number): CurveColumns {
  const count = rows.length / width;
  const [times, values] = [new Float64Array(count), new Float64Array(count)];
  for (let at = 0; at < count; at++) {
    times[at] = rows[at * width] ?? 0;
    values[at] = rows[at * width + column] ?? 0;
  }
  return { times, values };
}

/** A curve with a point before it and perhaps one after it. */
export function extended({ times, values }: CurveColumns, first: EquityPoint, last?: EquityPoint): CurveColumns {
  return { times: between(first[0], times, last?.[0]), values: between(first[1], values, last?.[1]) };
}

function between(first: number, column: Float64Array, last?: number): Float64Array {
  const all = new Float64Array(column.length + (last === undefined ? 1 : 2));
  all[0] = first;
  all.set(column, 1);
  if (last !== undefined) all[all.length - 1] = last;
  return all;
}
