import type { BarPoint } from './backtest-result';
import { drawdowns } from './drawdown';
import type { EquityPoint } from './equity-curve';
import { performanceOf, type Performance } from './performance';

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
export function buyAndHold(prices: readonly BarPoint[], symbol: string): Benchmark | null {
  const curve = heldCurve(prices, 1);
  const last = curve.at(-1);
  if (!last) return null;
  return {
    symbol,
    returnPct: Number(((last[1] - 1) * 100).toFixed(4)),
    maxDrawdownPct: drawdowns(curve).maxDrawdownPct,
    ...performanceOf(curve),
  };
}

/** The equity of a capital that is held in the symbol: at the first open, and the close of each bar at its open. */
export function heldCurve(prices: readonly BarPoint[], capital: number): readonly EquityPoint[] {
  const [first] = prices;
  if (!first) return [];
  const open = first[1];
  return [[first[0], capital], ...prices.map((bar): EquityPoint => [bar[0], (capital * bar[4]) / open])];
}
