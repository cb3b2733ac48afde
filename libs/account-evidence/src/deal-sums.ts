import { Decimal } from 'decimal.js';
import { DealType, PositionType } from '@libs/trade-constants';
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

/** Whether deals account for a change of the balance, to the cent. */
export function sumUpTo(deals: readonly TradeDeal[], amount: Decimal.Value): boolean {
  return isSameMoney(Decimal.sum(0, ...deals.map(balanceChange)), amount);
}

/** Money is compared to the cent. */
export function isSameMoney(one: Decimal, other: Decimal.Value): boolean {
  return one.minus(other).abs().lt(0.01);
}

/** Money by which a deal changes the balance, in the deposit currency. */
export function balanceChange(deal: Pick<TradeDeal, 'type' | 'profit' | 'swap' | 'commission' | 'fee'>): Decimal {
  if (ofCredit.includes(deal.type)) return new Decimal(0);
  return new Decimal(deal.profit).plus(deal.swap).plus(deal.commission).plus(deal.fee);
}
