import { withoutNoise } from './exact-sum';
import { seeded } from './seeded';

/** What the trades of a run would have brought in other orders. Money is in the account's currency. */
export interface TradeOrders {
  /** Orders that were drawn, and the seed that draws them again. */
  readonly runs: number;
  readonly seed: number;
  readonly trades: number;
  /** Furthest fall below the highest balance before it. */
  readonly maxDrawdown: Percentiles;
  /** The same in percent of that balance. */
  readonly maxDrawdownPct: Percentiles;
  /** Lowest balance. */
  readonly lowest: Percentiles;
  /** What the order of the run had, by its closed trades alone. */
  readonly asTraded: { readonly maxDrawdown: number; readonly maxDrawdownPct: number; readonly lowest: number };
  /** Percent of the orders with a drawdown above a limit. */
  readonly above: readonly { readonly drawdownPct: number; readonly chancePct: number }[];
}

/** Values that a share of the orders does not exceed: by the nearest rank. */
export interface Percentiles {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** How many orders are drawn, by which seed, and the drawdowns, in percent, whose chance is stated. */
export interface DrawnOrders {
  readonly runs: number;
  readonly seed: number;
  readonly drawdownsPct: readonly number[];
}

/**
 * Draws orders of the closed trades at random and states how deep their balance fell. The sum of the trades is the same in
 * each order, so the end is as well: what differs is the way there. Each order is a shuffle of Fisher and Yates.
 * @param results net results of the closed trades, in the order in which they closed
 * @param capital balance before the first of them
 * @returns null for fewer than two trades, which have one order
 */
export function tradeOrders(
  results: readonly number[],
  capital: number,
  { runs, seed, drawdownsPct }: DrawnOrders,
): TradeOrders | null {
  if (results.length < 2) return null;
  const random = seeded(seed);
  const order = Float64Array.from(results);
  const asTraded = fallOf(order, capital);
  const falls = Array.from({ length: runs }, () => {
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      const kept = order[at] ?? 0;
      order[at] = order[other] ?? 0;
      order[other] = kept;
    }
    return fallOf(order, capital);
  });
  const above = (limit: number): number => falls.filter(({ maxDrawdownPct }) => maxDrawdownPct > limit).length;
  return {
    runs,
    seed,
    trades: results.length,
    maxDrawdown: percentilesOf(falls.map(({ maxDrawdown }) => maxDrawdown)),
    maxDrawdownPct: percentilesOf(falls.map(({ maxDrawdownPct }) => maxDrawdownPct)),
    lowest: percentilesOf(falls.map(({ lowest }) => lowest)),
    asTraded,
    above: drawdownsPct.map((drawdownPct) => ({
      drawdownPct,
      chancePct: rounded((above(drawdownPct) / runs) * 100, 4),
    })),
  };
}

function fallOf(order: Float64Array, capital: number): TradeOrders['asTraded'] {
  let [balance, peak, lowest] = [capital, capital, capital];
  let [maxDrawdown, maxDrawdownPct] = [0, 0];
  for (const result of order) {
    balance += result;
    if (balance > peak) peak = balance;
    if (balance < lowest) lowest = balance;
    if (peak - balance > maxDrawdown) maxDrawdown = peak - balance;
    const percent = ((peak - balance) / peak) * 100;
    if (percent > maxDrawdownPct) maxDrawdownPct = percent;
  }
  return {
    maxDrawdown: withoutNoise(maxDrawdown),
    maxDrawdownPct: rounded(maxDrawdownPct, 4),
    lowest: withoutNoise(lowest),
  };
}

function percentilesOf(values: readonly number[]): Percentiles {
  const ascending = [...values].sort((a, b) => a - b);
  const at = (percent: number): number => ascending[Math.ceil((percent / 100) * ascending.length) - 1] ?? 0;
  return { p5: at(5), p50: at(50), p95: at(95), p99: at(99) };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
