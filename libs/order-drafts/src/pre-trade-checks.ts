import { deviationLimit } from './deviation-limit';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryChecks } from './entry-limits';
import { expirationAllowed } from './expiration-allowed';
import { fillingPermitted } from './filling-permitted';
import { levelsSide } from './levels-side';
import { pendingPriceSide } from './pending-price-side';
import { priceBand } from './price-band';
import type { Market, OrderLimits, ProposedOrder } from './proposed-order';
import { symbolAllowed } from './symbol-allowed';
import { volumeLimit } from './volume-limit';
import { volumeOnGrid } from './volume-on-grid';
import { onGrids } from './order-draft';
import { proposedOrderOf, type OrderFields } from './proposed-order-of';
import { OrderRefusal } from './refusal';
import { symbolTradable } from './trading-obstacle';

type LimitCheck = (order: ProposedOrder, limits: OrderLimits) => OrderRefusal | null;
type MarketCheck = (order: ProposedOrder, market: Market, limits: OrderLimits) => OrderRefusal | null;

/** Limits that need no market, in the order they are checked. */
const limitChecks: readonly LimitCheck[] = [symbolAllowed, volumeLimit, deviationLimit];

/**
 * Checks against the symbol and its quote, in order. The operator's band comes before the sides, so that a price far
 * from the market is refused for that reason on either side.
 */
const marketChecks: readonly MarketCheck[] = [
  volumeOnGrid,
  priceBand,
  pendingPriceSide,
  levelsSide,
  fillingPermitted,
  expirationAllowed,
];

/** The first limit of the operator that the order exceeds, or null. */
export function limitRefusal(order: ProposedOrder, limits: OrderLimits): OrderRefusal | null {
  return first(limitChecks, (check) => check(order, limits));
}

/** The first rule of the market that the order violates, or null. Its prices are on the symbol's grid. */
export function marketRefusal(order: ProposedOrder, market: Market, limits: OrderLimits): OrderRefusal | null {
  return first(marketChecks, (check) => check(order, market, limits));
}

/** The order of a request by all rules that need no market; or why it is not sent. */
export function orderWithinLimits(fields: OrderFields, limits: OrderLimits): ProposedOrder | OrderRefusal {
  const proposed = proposedOrderOf(fields, limits);
  return proposed instanceof OrderRefusal ? proposed : (limitRefusal(proposed, limits) ?? proposed);
}

/**
 * That order on the grids of its symbol, by all rules that need no books and no account but its kind; or why it is not sent. A gateway
 * and a backtest place an order by these two functions.
 */
export function orderOnMarket(
  proposed: ProposedOrder,
  market: Market,
  limits: OrderLimits,
  isHedging: boolean,
): ProposedOrder | OrderRefusal {
  const order = onGrids(proposed, market);
  if (order instanceof OrderRefusal) return order;
  return symbolTradable(order, market.info, isHedging) ?? marketRefusal(order, market, limits) ?? order;
}

/** The first entry limit that the order exceeds, or null. */
export function entryRefusal(entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  return first(entryChecks, (check) => check(entry, exposure, limits));
}

function first<Check>(checks: readonly Check[], refusalOf: (check: Check) => OrderRefusal | null): OrderRefusal | null {
  for (const check of checks) {
    const refusal = refusalOf(check);
    if (refusal) return refusal;
  }
  return null;
}
