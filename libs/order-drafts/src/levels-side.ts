import { Decimal } from 'decimal.js';
import { isBuyOrder, priceText } from '@libs/terminal-client';
import { closingPrice, isMarketOrder, isStopLimitOrder } from './market-price';
import type { Market, ProposedOrder } from './proposed-order';
import { atLeast, fieldRefused, type OrderRefusal } from './refusal';

/**
 * Stop loss and take profit must be on their sides, at least the stops level away: from the closing side's quote for a
 * market order or a position, from its own price for a pending order.
 */
export function levelsSide(order: ProposedOrder, market: Market): OrderRefusal | null {
  const reference = isMarketOrder(order.type)
    ? closingPrice(order.type, market.tick)
    : ((isStopLimitOrder(order.type) ? order.stoplimit : order.price) ?? 0);
  const isBuy = isBuyOrder(order.type);
  return (
    levelSide('sl', order.sl, isBuy ? 'below' : 'above', reference, market) ??
    levelSide('tp', order.tp, isBuy ? 'above' : 'below', reference, market)
  );
}

/** Checks one level against its reference price. */
export function levelSide(
  field: 'sl' | 'tp',
  level: number | null,
  side: 'above' | 'below',
  reference: number,
  { info }: Pick<Market, 'info'>,
): OrderRefusal | null {
  if (level === null) return null;
  const distance = new Decimal(info.trade_stops_level).mul(info.point);
  const bound = side === 'below' ? new Decimal(reference).minus(distance) : new Decimal(reference).plus(distance);
  const gap = side === 'below' ? bound.minus(level) : new Decimal(level).minus(bound);
  if (info.trade_stops_level > 0 ? gap.gte(0) : gap.gt(0)) return null;
  const problem = `must be ${side} ${priceText(reference, info.digits)}${atLeast(info.trade_stops_level)}`;
  return fieldRefused(field, problem, bound.toNumber(), level, priceText(level, info.digits));
}
