import { Decimal } from 'decimal.js';
import { moneyText } from '@libs/records';
import { AccountMarginMode } from '@libs/trade-constants';
import { roundedUnits } from './money-digits';
import type { AccountLook, TradePosition, Unexplained } from './evidence';

/** The sums of an account that one record shows; those that it does not have are not compared. */
export type ShownSums = NonNullable<AccountLook['account']>;

/** A margin level may be off by this part of it, because the margin is rounded. */
const levelPart = 0.01;

/**
 * Sums of one record that contradict each other, as those of an account that is half loaded do: its equity is not the balance with
 * credit and floating profit, its free margin or margin level does not follow from them, or its margin is negative.
 * @param positions that are open; some terminals leave their swap out of the profit
 */
export function contradictingSums(
  account: ShownSums,
  positions: readonly Pick<TradePosition, 'swap'>[],
): Unexplained[] {
  const tolerance = rounding(account, positions.length);
  return [
    ...wrongEquity(account, positions, tolerance),
    ...wrongFreeMargin(account, tolerance),
    ...wrongMarginLevel(account, tolerance),
    ...(account.margin < 0
      ? [differs('margin_differs', `the account has a margin of ${text(account, account.margin)}`)]
      : []),
  ];
}

/**
 * Whether an account shows sums that deserve a closer look: they contradict each other, it has no margin or no floating profit
 * beside open positions, or one of them without a position.
 */
export function areSumsOdd(account: ShownSums, hasPositions: boolean): boolean {
  const { margin, profit } = account;
  const isOdd = hasPositions ? margin === 0 || profit === 0 : margin !== 0 || profit !== 0;
  return isOdd || contradictingSums(account, []).length > 0;
}

/** An account that shows no margin, while an open position needs some. @param needed in the deposit currency */
export function lackingMargin(account: ShownSums, needed: number): Unexplained[] {
  if (account.margin !== 0 || rounding(account, 0).gte(needed)) return [];
  const message = `the account has a margin of ${text(account, 0)}; an open position alone needs ${text(account, needed)}`;
  return [differs('margin_differs', message)];
}

function wrongEquity(
  account: ShownSums,
  positions: readonly Pick<TradePosition, 'swap'>[],
  tolerance: Decimal,
): Unexplained[] {
  const { balance, credit, profit, equity, commission_blocked = 0, assets = 0, liabilities = 0 } = account;
  if (equity === undefined || credit === undefined) return [];
  const sum = new Decimal(balance).plus(credit).plus(profit);
  const swap = Decimal.sum(0, ...positions.map((position) => position.swap));
  const apart = new Decimal(equity).minus(sum);
  // Whether these are in it depends on the terminal and on the kind of account.
  if (isSumOfSome(apart, [swap, new Decimal(-commission_blocked), new Decimal(assets).minus(liabilities)], tolerance))
    return [];
  const message = `the account has an equity of ${text(account, equity)}; its balance, credit and floating profit sum up to ${text(account, sum)}`;
  return [differs('equity_differs', message)];
}

/** The broker decides whether floating profit, loss or both count, and on an exchange what else does. */
function wrongFreeMargin(account: ShownSums, tolerance: Decimal): Unexplained[] {
  const { equity, margin, margin_free: free, margin_mode: mode, profit, commission_blocked = 0 } = account;
  if (equity === undefined || free === undefined || mode === AccountMarginMode.EXCHANGE) return [];
  const left = new Decimal(equity).minus(margin);
  const apart = new Decimal(free).minus(left);
  const counted = [0, -profit].map((part) => apart.minus(part));
  if (counted.some((rest) => isSumOfSome(rest, [new Decimal(-commission_blocked)], tolerance))) return [];
  const message = `the account has a free margin of ${text(account, free)}; its equity less its margin is ${text(account, left)}`;
  return [differs('margin_differs', message)];
}

function wrongMarginLevel(account: ShownSums, tolerance: Decimal): Unexplained[] {
  const { equity, margin, margin_level: level } = account;
  if (equity === undefined || level === undefined || margin <= 0) return [];
  const expected = new Decimal(equity).div(margin).times(100);
  const allowed = expected.abs().times(tolerance.div(margin).plus(levelPart)).plus(levelPart);
  if (expected.minus(level).abs().lte(allowed)) return [];
  const message = `the account has a margin level of ${level.toFixed(2)} %; its equity and margin make ${expected.toFixed(2)} %`;
  return [differs('margin_differs', message)];
}

function isSumOfSome(amount: Decimal, [part, ...others]: readonly Decimal[], tolerance: Decimal): boolean {
  if (part === undefined) return amount.abs().lte(tolerance);
  return isSumOfSome(amount, others, tolerance) || isSumOfSome(amount.minus(part), others, tolerance);
}

function rounding({ currency_digits: digits }: ShownSums, positions: number): Decimal {
  return roundedUnits(digits).times(positions + 1);
}

function text({ currency_digits }: ShownSums, amount: Decimal.Value): string {
  return moneyText(new Decimal(amount).toNumber(), currency_digits);
}

function differs(kind: 'equity_differs' | 'margin_differs', message: string): Unexplained {
  return { kind, spoils: 'entries', ticket: null, symbol: null, message };
}
