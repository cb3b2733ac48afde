import { Decimal } from 'decimal.js';
import { isBuyOrder, priceText, SymbolExecution } from '@libs/terminal-client';
import { isLimitOrder, isMarketOrder, isStopLimitOrder, marketPrice } from './market-price';
import type { Market, ProposedOrder } from './proposed-order';
import { atLeast, fieldRefused, type OrderRefusal } from './refusal';

/**
 * A pending price must be on the side of the market that its type requires, at least the stops level away; the limit
 * price of a stop-limit order must be on the far side of its trigger. On exchanges, a limit through the market is
 * filled at once instead.
 */
export function pendingPriceSide(order: ProposedOrder, market: Market): OrderRefusal | null {
  if (isMarketOrder(order.type) || order.price === null) return null;
  return priceSide(order.type, order.price, market) ?? stoplimitSide(order, market);
}

function priceSide(type: number, price: number, { info, tick }: Market): OrderRefusal | null {
  if (isLimitOrder(type) && info.trade_exemode === SymbolExecution.EXCHANGE) return null;
  const reference = new Decimal(marketPrice(type, tick));
  const mustBeBelow = isBuyOrder(type) === isLimitOrder(type);
  const distance = new Decimal(info.trade_stops_level).mul(info.point);
  const bound = mustBeBelow ? reference.minus(distance) : reference.plus(distance);
  // At a stops level of 0 most servers reject equality; at a higher level the exact distance is enough.
  const gap = mustBeBelow ? bound.minus(price) : new Decimal(price).minus(bound);
  if (info.trade_stops_level > 0 ? gap.gte(0) : gap.gt(0)) return null;
  const side = `${mustBeBelow ? 'below' : 'above'} the ${isBuyOrder(type) ? 'ask' : 'bid'}`;
  const market = priceText(reference.toNumber(), info.digits);
  return fieldRefused(
    'price',
    `must be ${side} ${market}${atLeast(info.trade_stops_level)}`,
    bound.toNumber(),
    price,
    priceText(price, info.digits),
  );
}

function stoplimitSide({ type, price, stoplimit }: ProposedOrder, { info }: Market): OrderRefusal | null {
  if (!isStopLimitOrder(type) || price === null || stoplimit === null) return null;
  if (isBuyOrder(type) ? stoplimit <= price : stoplimit >= price) return null;
  return fieldRefused(
    'stoplimit',
    `must be at or ${isBuyOrder(type) ? 'below' : 'above'} the price ${priceText(price, info.digits)}`,
    price,
    stoplimit,
    priceText(stoplimit, info.digits),
  );
}
