import type { PositionRecord } from '@libs/gateway-client';

/** Looks in a row after which a profit counts although its price contradicts it, if no account is known. */
const looksWanted = 3;
/** Share of a profit by which it may change without a change of price, as when a currency is converted at another rate. */
const ratesMove = 0.1;
/** In the account's currency: less is no reason for a doubt. */
const leastDoubt = 1;

/**
 * Whether the price and the volume of a position contradict its floating profit: they stand, or have moved by far less than it
 * has since the last row that was believed.
 */
function isProfitAgainstPrice(believed: PositionRecord, shown: PositionRecord): boolean {
  if (shown.volume !== believed.volume || shown.price_open !== believed.price_open) return false;
  const before = believed.price_current - believed.price_open;
  const now = shown.price_current - shown.price_open;
  // Where the position had moved by nothing, its profit tells nothing of what a move is worth.
  if (before === 0 && now !== 0) return false;
  const expected = before === 0 ? believed.profit : (believed.profit / before) * now;
  // A profit of a few cents tells little.
  const rounding = before === 0 ? 0 : Math.abs(now / before) * 0.02;
  const allowed = leastDoubt + ratesMove * Math.max(Math.abs(expected), Math.abs(believed.profit)) + rounding;
  return Math.abs(shown.profit - expected) > allowed + Math.abs(expected - believed.profit);
}

/**
 * Whether a floating profit that its price contradicts is left aside: as long as the account's own is nearer to that of before,
 * or for two looks if the account is unknown.
 * @param profits sum of all positions of the list
 * @param looks in a row at which it was doubted before this one
 */
export function isProfitDoubted(
  believed: PositionRecord,
  shown: PositionRecord,
  { profits, accountProfit, looks }: { profits: number; accountProfit: number | null; looks: number },
): boolean {
  if (!isProfitAgainstPrice(believed, shown)) return false;
  if (accountProfit === null) return looks + 1 < looksWanted;
  const before = profits - shown.profit + believed.profit;
  return Math.abs(before - accountProfit) < Math.abs(profits - accountProfit);
}
