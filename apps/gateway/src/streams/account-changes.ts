import type { AccountLook } from './account-look';
import { dealChanges } from './deal-changes';
import { copyOfAccount, type KnownAccount } from './known-account';
import { orderChanges } from './order-changes';
import type { Patience } from './patience';
import { positionChanges } from './position-changes';
import type { TradeChange } from './trade-event';

/** What a comparison found, and the account as it is known after it. */
export interface AccountChanges {
  readonly changes: readonly TradeChange[];
  readonly known: KnownAccount;
}

/** Compares what the terminal shows with what has been told of the account. Told is nothing twice, and all of it once. */
export function accountChanges(before: KnownAccount, look: AccountLook, patience: Patience): AccountChanges {
  const known = copyOfAccount(before);
  const orders = orderChanges(known, look, patience);
  // Positions first, so that a deal finds the ones that are known by now; told in the order in which things happen.
  const positions = positionChanges(known, look, patience);
  const deals = dealChanges(known, look, patience);
  return { changes: [...orders, ...deals, ...positions], known };
}
