import type { AccountLook } from './account-look';
import { dealChanges } from './deal-changes';
import type { KnownAccount } from './known-account';
import { orderChanges } from './order-changes';
import type { GracePeriod } from './grace-period';
import { positionChanges } from './position-changes';
import type { TradeChange } from './trade-event';

/**
 * Compares what was read with the events so far. Every change is emitted exactly once: `known` is changed with it, as a
 * draft until both are on disk.
 */
export function accountChanges(known: KnownAccount, look: AccountLook, grace: GracePeriod): readonly TradeChange[] {
  const orders = orderChanges(known, look, grace);
  // Positions first, so that deals find them; emitted in the order in which things happen.
  const positions = positionChanges(known, look, grace);
  const deals = dealChanges(known, look, grace);
  return [...orders, ...deals, ...positions];
}
