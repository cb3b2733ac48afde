import type { BacktestResult, BarOpens, BarPoint } from './backtest-result';
import { barWidth } from './bar-rows';
import { equityPoints, type EquityPoint } from './equity-curve';
import { unpacked } from './number-rows';

/** A result with its long columns in typed arrays, as a thread hands it over. */
export interface PackedResult extends Omit<BacktestResult, 'equity' | 'prices' | 'opens' | 'rows'> {
  /** Rows of time and equity. */
  readonly equity: Float64Array<ArrayBuffer>;
  /** Rows of time, open, high, low and close. */
  readonly prices: Float64Array<ArrayBuffer>;
  readonly opens: readonly PackedOpens[];
}

interface PackedOpens extends Omit<BarOpens, 'timesMs' | 'bars'> {
  readonly timesMs: Float64Array<ArrayBuffer>;
  readonly bars?: Float64Array<ArrayBuffer>;
}

/** What need not be copied from one thread to another. */
export function buffersOf({ equity, prices, opens }: PackedResult): readonly ArrayBuffer[] {
  const ofSymbols = opens.flatMap(({ timesMs, bars }) =>
    bars === undefined ? [timesMs.buffer] : [timesMs.buffer, bars.buffer],
  );
  return [equity.buffer, prices.buffer, ...ofSymbols];
}

function barPoint(values: Float64Array, first: number): BarPoint {
  const at = (column: number): number => values[first + column] ?? 0;
  return [at(0), at(1), at(2), at(3), at(4)];
}

/** The result with its columns as points, which are made when they are read. */
export function unpackedResult(packed: PackedResult): BacktestResult {
  const made: { equity?: readonly EquityPoint[]; prices?: readonly BarPoint[] } = {};
  return {
    ...packed,
    rows: { equity: packed.equity, prices: packed.prices },
    get equity() {
      return (made.equity ??= equityPoints(packed.equity));
    },
    get prices() {
      return (made.prices ??= unpacked(packed.prices, barWidth, (first) => barPoint(packed.prices, first)));
    },
  };
}
