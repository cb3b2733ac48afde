import type { ApiError } from '@libs/envelope';
import { dailyLoss } from './daily-loss';
import { deviationLimit } from './deviation-limit';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { expirationAllowed } from './expiration-allowed';
import { fillingPermitted } from './filling-permitted';
import { levelsSide } from './levels-side';
import { openVolume } from './open-volume';
import { openVolumePerSymbol } from './open-volume-per-symbol';
import { orderRate } from './order-rate';
import { pendingPriceSide } from './pending-price-side';
import { priceBand } from './price-band';
import type { Market, OrderLimits, ProposedOrder } from './proposed-order';
import { symbolAllowed } from './symbol-allowed';
import { volumeLimit } from './volume-limit';
import { volumeOnGrid } from './volume-on-grid';

type LimitCheck = (order: ProposedOrder, limits: OrderLimits) => ApiError | null;
type EntryCheck = (entry: ProposedEntry, exposure: Exposure, limits: EntryLimits) => ApiError | null;
type MarketCheck = (order: ProposedOrder, market: Market, limits: OrderLimits) => ApiError | null;

/** Limits that need no market, in the order they are checked. */
export const limitChecks: readonly LimitCheck[] = [symbolAllowed, volumeLimit, deviationLimit];

/**
 * Checks against the symbol and its quote, in the order they run. The operator's band comes before the sides: a price
 * far off is refused as such, whichever side it is on.
 */
export const marketChecks: readonly MarketCheck[] = [
  volumeOnGrid,
  priceBand,
  pendingPriceSide,
  levelsSide,
  fillingPermitted,
  expirationAllowed,
];

/** Limits on entries as a whole, in the order they are checked: after the market, right before the send. */
export const entryChecks: readonly EntryCheck[] = [orderRate, openVolumePerSymbol, openVolume, dailyLoss];

/** The first limit on entries that the order exceeds, or null. */
export function entryRefusal(entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): ApiError | null {
  for (const check of entryChecks) {
    const refusal = check(entry, exposure, limits);
    if (refusal) return refusal;
  }
  return null;
}

/** @throws ApiError of the first limit that is broken */
export function requireWithinLimits(order: ProposedOrder, limits: OrderLimits): void {
  for (const check of limitChecks) refuse(check(order, limits));
}

/** @throws ApiError of the first check that fails */
export function requireFitForMarket(order: ProposedOrder, market: Market, limits: OrderLimits): void {
  for (const check of marketChecks) refuse(check(order, market, limits));
}

function refuse(refusal: ApiError | null): void {
  if (refusal) throw refusal;
}
