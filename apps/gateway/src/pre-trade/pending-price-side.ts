import { Decimal } from 'decimal.js';
import type { ApiError } from '@libs/envelope';
import { isBuyOrder, SymbolExecution } from '@libs/terminal-client';
import { isLimitOrder, isMarketOrder, isStopLimitOrder, marketPrice } from './market-price';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused } from './refusal';

/**
 * A pending price on the side of the market that its type means, no closer than the stops level; the limit price of a
 * stop-limit order on the far side of its trigger (mt5-facts §9 and §10). On exchanges a limit through the market is
 * filled at once instead.
 */
export function pendingPriceSide(order: ProposedOrder, market: Market): ApiError | null {
  if (isMarketOrder(order.type) || order.price === null) return null;
  return priceSide(order.type, order.price, market) ?? stoplimitSide(order);
}

function priceSide(type: number, price: number, { info, tick }: Market): ApiError | null {
  if (isLimitOrder(type) && info.trade_exemode === SymbolExecution.EXCHANGE) return null;
  const reference = new Decimal(marketPrice(type, tick));
  const mustBeBelow = isBuyOrder(type) === isLimitOrder(type);
  const distance = new Decimal(info.trade_stops_level).mul(info.point);
  const bound = mustBeBelow ? reference.minus(distance) : reference.plus(distance);
  // At a stops level of 0 equality is refused by most servers; at a level above it the distance itself is enough.
  const gap = mustBeBelow ? bound.minus(price) : new Decimal(price).minus(bound);
  if (info.trade_stops_level > 0 ? gap.gte(0) : gap.gt(0)) return null;
  const side = `${mustBeBelow ? 'below' : 'above'} the ${isBuyOrder(type) ? 'ask' : 'bid'}`;
  return fieldRefused(
    'price',
    `must be ${side} ${reference.toString()} by at least ${info.trade_stops_level} points`,
    bound.toNumber(),
    price,
  );
}

function stoplimitSide({ type, price, stoplimit }: ProposedOrder): ApiError | null {
  if (!isStopLimitOrder(type) || price === null || stoplimit === null) return null;
  if (isBuyOrder(type) ? stoplimit <= price : stoplimit >= price) return null;
  return fieldRefused(
    'stoplimit',
    `must be at or ${isBuyOrder(type) ? 'below' : 'above'} the price ${price}`,
    price,
    stoplimit,
  );
}
