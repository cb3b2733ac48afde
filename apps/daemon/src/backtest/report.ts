import type { Fill, Side } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from './run-backtest';

/** One position from its first deal to its last. */
export interface RoundTrip {
  readonly position: number;
  readonly side: Side;
  readonly symbol: string;
  /** Lots that came in. */
  readonly volume: number;
  readonly openedMs: number;
  readonly closedMs: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly exitReason: Fill['reason'];
  /** With commission, swap and fee of all its deals. */
  readonly realized: number;
}

export interface Summary {
  readonly bars: number;
  readonly trades: number;
  /** Positions still open at the end. */
  readonly open: number;
  readonly realized: number;
  readonly winRatePct: number | null;
  /** Sum of the gains over the sum of the losses; null without losses. */
  readonly profitFactor: number | null;
  readonly averageTrade: number | null;
  readonly maxDrawdown: number;
  readonly maxDrawdownPct: number;
  readonly rejects: number;
}

/** The closed positions of a run, in the order they were closed. */
export function roundTrips(fills: readonly Fill[]): readonly RoundTrip[] {
  const byPosition = new Map<number, Fill[]>();
  for (const fill of fills) byPosition.set(fill.position, [...(byPosition.get(fill.position) ?? []), fill]);
  return [...byPosition.values()]
    .flatMap((deals) => roundTripOf(deals) ?? [])
    .sort((a, b) => a.closedMs - b.closedMs || a.position - b.position);
}

/** The figures of a run. */
export function summary({ fills, equity, bars, rejects }: BacktestResult, capital: number): Summary {
  const trips = roundTrips(fills);
  const sum = (of: readonly RoundTrip[]): Decimal =>
    of.reduce((total, { realized }) => total.plus(realized), new Decimal(0));
  const wins = trips.filter(({ realized }) => realized > 0);
  const losses = sum(trips.filter(({ realized }) => realized < 0)).abs();
  const count = trips.length;
  return {
    bars,
    trades: count,
    open: new Set(fills.map(({ position }) => position)).size - count,
    realized: fills.reduce((total, { realized }) => total.plus(realized), new Decimal(0)).toNumber(),
    winRatePct: count === 0 ? null : (wins.length / count) * 100,
    profitFactor: losses.isZero() ? null : sum(wins).div(losses).toNumber(),
    averageTrade: count === 0 ? null : sum(trips).div(count).toNumber(),
    ...drawdownOf(
      equity.map(([, value]) => value),
      capital,
    ),
    rejects: rejects.length,
  };
}

function roundTripOf(deals: readonly Fill[]): RoundTrip | null {
  const entries = deals.filter(({ entry }) => entry === 'in');
  const exits = deals.filter(({ entry }) => entry !== 'in');
  const volume = (of: readonly Fill[]): Decimal => of.reduce((sum, fill) => sum.plus(fill.volume), new Decimal(0));
  const price = (of: readonly Fill[]): number =>
    of
      .reduce((sum, fill) => sum.plus(new Decimal(fill.price).times(fill.volume)), new Decimal(0))
      .div(volume(of))
      .toNumber();
  const [first] = entries;
  const last = exits.at(-1);
  if (!first || !last || !volume(entries).eq(volume(exits))) return null;
  if (first.timeMs === null || last.timeMs === null) return null;
  return {
    position: first.position,
    side: first.side,
    symbol: first.symbol,
    volume: volume(entries).toNumber(),
    openedMs: first.timeMs,
    closedMs: last.timeMs,
    entryPrice: price(entries),
    exitPrice: price(exits),
    exitReason: last.reason,
    realized: deals.reduce((sum, { realized }) => sum.plus(realized), new Decimal(0)).toNumber(),
  };
}

function drawdownOf(equity: readonly number[], capital: number): { maxDrawdown: number; maxDrawdownPct: number } {
  let peak = capital;
  let [maxDrawdown, maxDrawdownPct] = [0, 0];
  for (const value of equity) {
    peak = Math.max(peak, value);
    maxDrawdown = Math.max(maxDrawdown, peak - value);
    maxDrawdownPct = Math.max(maxDrawdownPct, peak > 0 ? ((peak - value) / peak) * 100 : 0);
  }
  return { maxDrawdown, maxDrawdownPct };
}
