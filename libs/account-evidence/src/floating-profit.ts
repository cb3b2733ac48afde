import { Decimal } from 'decimal.js';
import { roundedUnits } from './money-digits';
import type { AccountInfo, TradePosition } from './evidence';

/** The floating profit of an account and of its positions, read one after the other. */
export interface ProfitLook {
  readonly account: Pick<AccountInfo, 'profit'> & Partial<Pick<AccountInfo, 'currency_digits'>>;
  readonly positions: readonly Pick<TradePosition, 'identifier' | 'profit' | 'swap'>[];
}

/** Looks in a row in which the sums differ before that counts. */
export const profitLooksWanted = 3;

/**
 * Whether the account's floating profit and that of the listed positions differ by more than prices can have moved between the
 * two reads: a position is missing, is shown twice, or has a wrong profit. Some terminals count swap as profit.
 * @param before the look before this one, which shows how much prices move
 */
export function isProfitOff(now: ProfitLook, before: ProfitLook | null): boolean {
  if (now.positions.length === 0) return false;
  const profit = sum(now.positions.map((position) => position.profit));
  const swap = sum(now.positions.map((position) => position.swap));
  const account = new Decimal(now.account.profit);
  const gap = Decimal.min(account.minus(profit).abs(), account.minus(profit).minus(swap).abs());
  const rounding = roundedUnits(now.account.currency_digits).times(now.positions.length + 1);
  return gap.gt(rounding.plus(movement(now, before)));
}

/** How far profits moved since the look before. Without one, any difference may be movement. */
function movement(now: ProfitLook, before: ProfitLook | null): Decimal {
  if (before === null) return new Decimal(Number.POSITIVE_INFINITY);
  const known = new Map(before.positions.map(({ identifier, profit }) => [identifier, profit]));
  const moved = now.positions.map(({ identifier, profit }) =>
    new Decimal(profit).minus(known.get(identifier) ?? 0).abs(),
  );
  return sum(moved).plus(new Decimal(now.account.profit).minus(before.account.profit).abs());
}

function sum(values: readonly (number | Decimal)[]): Decimal {
  return Decimal.sum(0, ...values);
}
