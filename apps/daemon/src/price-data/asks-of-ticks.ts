import type { FullBarRecord } from '@libs/gateway-client';

/** A quote of both sides. */
export interface TwoSided {
  /** UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: number;
  readonly ask: number;
}

/** Open, high, low and close, in price. */
export type Prices = Pick<FullBarRecord, 'open' | 'high' | 'low' | 'close'>;

/**
 * The asks of a bar of bids, by the ticks of its time. Null unless the bids of these ticks make the bar: otherwise the broker has
 * not kept all of them, and the asks of the others are unknown.
 * @param digits of the symbol: prices are compared after rounding
 */
export function asksOf(bids: Prices, ticks: readonly TwoSided[], digits: number): Prices | null {
  if (ticks.length === 0 || ticks.some(({ bid, ask }) => bid <= 0 || ask < bid)) return null;
  const made = barOf(ticks.map(({ bid }) => bid));
  const isWhole = (['open', 'high', 'low', 'close'] as const).every(
    (name) => made[name].toFixed(digits) === bids[name].toFixed(digits),
  );
  return isWhole ? barOf(ticks.map(({ ask }) => ask)) : null;
}

function barOf(prices: readonly number[]): Prices {
  const [open = 0] = prices;
  let [high, low, close] = [open, open, open];
  for (const price of prices) {
    if (price > high) high = price;
    if (price < low) low = price;
    close = price;
  }
  return { open, high, low, close };
}
