import { isBehindDeals, type AccountLook, type UnderWay } from '@libs/account-evidence';
import { dealChanges } from './deal-changes';
import type { KnownAccount } from './known-account';
import { orderChanges } from './order-changes';
import { positionChanges } from './position-changes';
import type { TradeChange } from './trade-event';

/**
 * Compares what was read with the events so far. Every change is emitted exactly once: `known` is changed with it, as a
 * draft until both are on disk.
 */
export function accountChanges(known: KnownAccount, look: AccountLook, underWay: UnderWay): readonly TradeChange[] {
  const orders = orderChanges(known, look);
  // As it is before the positions are taken.
  const behind = look.positions.filter((position) => isBehindDeals(known, position, look));
  // Positions first, so that deals find them; emitted in the order in which things happen.
  const positions = positionChanges(known, look, underWay);
  const deals = dealChanges(known, look, new Set(behind.map(({ identifier }) => identifier)));
  return [...orders, ...deals, ...positions];
}
