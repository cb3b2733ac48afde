import type { AccountLook } from './account-look';
import { dealChanges } from './deal-changes';
import { copyOfAccount, type KnownAccount } from './known-account';
import { orderChanges } from './order-changes';
import type { Patience } from './patience';
import { positionChanges } from './position-changes';
import type { TradeChange } from './trade-event';

/** The changes that a comparison found, and the account after them. */
export interface AccountChanges {
  readonly changes: readonly TradeChange[];
  readonly known: KnownAccount;
}

/** Compares the terminal's state with the events so far. Every change is emitted exactly once. */
export function accountChanges(before: KnownAccount, look: AccountLook, patience: Patience): AccountChanges {
  const known = copyOfAccount(before);
  const orders = orderChanges(known, look, patience);
  // Positions first, so that deals find them; emitted in the order in which things happen.
  const positions = positionChanges(known, look, patience);
  const deals = dealChanges(known, look, patience);
  return { changes: [...orders, ...deals, ...positions], known };
}
