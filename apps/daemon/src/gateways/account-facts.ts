import type { AccountRecord } from '@libs/gateway-client';
import type { Account } from '@libs/strategy';

type StatedAccount = Pick<AccountRecord, 'currency' | 'leverage' | 'balance' | 'equity' | 'margin' | 'margin_free'>;

/** An account as strategies see it. */
export function accountOf({ currency, leverage, balance, equity, margin, margin_free }: StatedAccount): Account {
  return { currency, leverage, balance, equity, margin, freeMargin: margin_free };
}
