import { PositionType, SymbolSwapMode } from '@libs/terminal-client';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import type { Rates } from './conversion';
import { exact, powerOf10, rounded, roundedSurely, type Money } from './decimals';

/** How many days' swap a position pays at the end of a weekday (0 = Sunday): three on the triple day, none at weekends. */
export function swapDays(spec: SymbolSpec, weekday: number): number {
  if (spec.swap_mode === SymbolSwapMode.DISABLED || weekday === 0 || weekday === 6) return 0;
  return weekday === spec.swap_rollover3days ? 3 : 1;
}

/** Swap that is paid by closing the position and opening it again at another price. */
export function isReopening({ swap_mode: mode }: SymbolSpec): boolean {
  return mode === SymbolSwapMode.REOPEN_CURRENT || mode === SymbolSwapMode.REOPEN_BID;
}

export interface SwapCharge {
  readonly spec: SymbolSpec;
  readonly type: number;
  readonly volume: number;
  readonly open: number;
  /** Price at the time of charging. */
  readonly price: number;
  readonly days: number;
}

/**
 * What a position is charged (negative) or paid, in the deposit currency, unrounded; null when the
 * symbol's mode charges no money, or no price converts it.
 */
export function swapOf(charge: SwapCharge, conversion: Rates): Money | null {
  const found = inCurrency(charge, conversion.deposit);
  if (!found) return null;
  if (found.amount.isZero() || found.currency === conversion.deposit) return found.amount;
  const rate = conversion.amountRate(found.currency, found.amount.isPositive());
  return rate && found.amount.mul(rate);
}

/** {@link swapOf} rounded, 0 where it is null; in doubles, and in decimals only where those could round otherwise. */
export function roundedSwap(charge: SwapCharge, conversion: Rates, digits: number): number {
  const decided = roundedSurely(directSwap(charge, conversion.deposit), powerOf10(digits));
  if (!Number.isNaN(decided)) return decided;
  const charged = swapOf(charge, conversion);
  return charged === null ? 0 : rounded(charged, digits).toNumber();
}

/** The swap of the usual modes in doubles, unrounded; NaN where it is converted, and in other modes. */
function directSwap({ spec, type, volume, days }: SwapCharge, deposit: string): number {
  const value = (type === PositionType.BUY ? spec.swap_long : spec.swap_short) * volume * days;
  const isPoints = spec.swap_mode === SymbolSwapMode.POINTS && spec.currency_profit === deposit;
  if (isPoints) return value * pointOf(spec) * spec.trade_contract_size;
  return spec.swap_mode === SymbolSwapMode.CURRENCY_DEPOSIT ? value : Number.NaN;
}

function inCurrency(charge: SwapCharge, deposit: string): { readonly amount: Money; readonly currency: string } | null {
  const { spec, type, volume, open, price, days } = charge;
  const value = exact(type === PositionType.BUY ? spec.swap_long : spec.swap_short)
    .mul(volume)
    .mul(days);
  const { currency_profit: profit, currency_base: base, currency_margin: margin } = spec;
  // Interest: percent of the position's value for a year of 360 days.
  const interest = (at: number): Money => value.mul(spec.trade_contract_size).mul(at).div(36_000);
  switch (spec.swap_mode) {
    case SymbolSwapMode.POINTS:
      return { amount: value.mul(pointOf(spec)).mul(spec.trade_contract_size), currency: profit };
    case SymbolSwapMode.CURRENCY_SYMBOL:
      return { amount: value, currency: base };
    case SymbolSwapMode.CURRENCY_MARGIN:
      return { amount: value, currency: margin };
    case SymbolSwapMode.CURRENCY_DEPOSIT:
      return { amount: value, currency: deposit };
    case SymbolSwapMode.INTEREST_CURRENT:
      return { amount: interest(price), currency: profit };
    case SymbolSwapMode.INTEREST_OPEN:
      return { amount: interest(open), currency: profit };
    default:
      return null;
  }
}
