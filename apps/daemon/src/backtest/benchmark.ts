import { barRowsOf, barWidth, type Bars } from './bar-rows';
import { columnsOfRows, extended, type CurveColumns } from './curve';
import { drawdowns } from './drawdown';
import { performanceOf, type Performance } from './performance';

/** Place of the close in a row of a bar. */
const closeAt = 4;

/** What the capital would have come to in the symbol: bought at the first open and held to the last close, without leverage. */
export interface Benchmark extends Performance {
  readonly symbol: string;
  readonly returnPct: number;
  readonly maxDrawdownPct: number;
}

/**
 * Buy and hold over the bid bars of a run, without costs.
 * @returns null without bars
 */
export function buyAndHold(prices: Bars, symbol: string): Benchmark | null {
  const curve = heldCurve(prices, 1);
  const last = curve.values.at(-1);
  if (last === undefined) return null;
  const drawdown = drawdowns(curve);
  return {
    symbol,
    returnPct: Number(((last - 1) * 100).toFixed(4)),
    maxDrawdownPct: drawdown.maxDrawdownPct,
    ...performanceOf(curve, drawdown),
  };
}

/** The equity of a capital that is held in the symbol: at the first open, and the close of each bar at its open. */
export function heldCurve(prices: Bars, capital: number): CurveColumns {
  const rows = barRowsOf(prices);
  const { times, values } = columnsOfRows(rows, barWidth, closeAt);
  const [startMs, open] = rows;
  if (startMs === undefined || open === undefined) return { times, values };
  const held = values.map((close) => (capital * close) / open);
  return extended({ times, values: held }, [startMs, capital]);
}
