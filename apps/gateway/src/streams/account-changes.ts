import type { AccountLook } from './account-look';
import { dealChanges } from './deal-changes';
import type { KnownAccount } from './known-account';
import { orderChanges } from './order-changes';
import type { Patience } from './patience';
import { positionChanges } from './position-changes';
import type { TradeChange } from './trade-event';

/**
 * Compares what was read with the events so far. Every change is emitted exactly once: `known` is changed with it, as a
 * draft until both are on disk.
 */
export function accountChanges(known: KnownAccount, look: AccountLook, patience: Patience): readonly TradeChange[] {
  const orders = orderChanges(known, look, patience);
  // Positions first, so that deals find them; emitted in the order in which things happen.
  const positions = positionChanges(known, look, patience);
  const deals = dealChanges(known, look, patience);
  return [...orders, ...deals, ...positions];
}
