import { Decimal } from 'decimal.js';
import { DealType, PositionType } from '@libs/trade-constants';
import { lastDigit, withoutNoise } from './money-digits';
import type { TradeDeal, TradePosition } from './evidence';

/** Lots by which a deal moves its position: positive for a buy, negative for a sell, 0 if it is not a trade. */
export function signedVolume({ type, volume }: Pick<TradeDeal, 'type' | 'volume'>): Decimal {
  if (type === DealType.BUY) return new Decimal(volume);
  return type === DealType.SELL ? new Decimal(volume).negated() : new Decimal(0);
}

/** Open lots according to these deals; long is positive. */
export function netVolume(deals: readonly Pick<TradeDeal, 'type' | 'volume'>[]): Decimal {
  return deals.reduce((net, deal) => net.plus(signedVolume(deal)), new Decimal(0));
}

/** Lots of a position; long is positive. Zero without one. */
export function signedLots(position: Pick<TradePosition, 'type' | 'volume'> | undefined): Decimal {
  if (!position) return new Decimal(0);
  const lots = new Decimal(position.volume);
  return position.type === PositionType.BUY ? lots : lots.negated();
}

/** Deals that change the credit of the account and not its balance. */
const ofCredit: readonly number[] = [DealType.CREDIT];

/** Whether deals account for a change of the balance, to the last digit of its currency. @param digits of the currency */
export function sumUpTo(deals: readonly TradeDeal[], amount: Decimal.Value, digits: number | undefined): boolean {
  return isSameMoney(Decimal.sum(0, ...deals.map(balanceChange)), amount, digits);
}

/** Whether amounts differ by less than one in the last digit of their currency. @param digits of the currency */
export function isSameMoney(one: Decimal, other: Decimal.Value, digits: number | undefined): boolean {
  return withoutNoise(one.minus(other).abs(), digits).lt(lastDigit(digits));
}

/** Money by which a deal changes the balance, in the deposit currency. */
export function balanceChange(deal: Pick<TradeDeal, 'type' | 'profit' | 'swap' | 'commission' | 'fee'>): Decimal {
  if (ofCredit.includes(deal.type)) return new Decimal(0);
  return new Decimal(deal.profit).plus(deal.swap).plus(deal.commission).plus(deal.fee);
}
