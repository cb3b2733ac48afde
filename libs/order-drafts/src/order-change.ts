import { OrderTime, TradeAction, tradeRequest, type TradeOrder, type TradeRequest } from '@libs/terminal-client';
import { expirationAllowed } from './expiration-allowed';
import { newLevels, type LevelChange } from './level-change';
import { levelsSide } from './levels-side';
import { isStopLimitOrder } from './market-price';
import { pendingPriceSide } from './pending-price-side';
import { priceBand } from './price-band';
import { pricesOnGrid } from './price-on-grid';
import type { ClientOrderType, Market, OrderLimits, ProposedOrder } from './proposed-order';
import { fieldsRefused, OrderRefusal } from './refusal';

/** The changes of a pending order; omitted or null fields are kept. */
export interface OrderChange extends LevelChange {
  readonly price?: number | null;
  readonly stoplimit?: number | null;
  /** UTC milliseconds. */
  readonly expirationMs: number | null;
  readonly clear_expiration?: boolean;
  /** Absent: as it is, or as the expiration has it. */
  readonly timeType?: OrderTime;
}

/** A pending order as far as a change of it reads it. */
export type ChangedOrder = Pick<
  TradeOrder,
  | 'ticket'
  | 'symbol'
  | 'magic'
  | 'type'
  | 'type_filling'
  | 'type_time'
  | 'time_expiration'
  | 'volume_current'
  | 'price_open'
  | 'price_stoplimit'
  | 'sl'
  | 'tp'
>;

/**
 * The request that changes a pending order. It contains every value, because the terminal takes 0 for "remove" and an
 * omitted time for "good till cancelled".
 * @param expiration of the change, in server seconds
 * @returns a refusal for a price that rounds to 0
 */
export function changeDraft(
  order: ChangedOrder,
  change: OrderChange,
  info: Market['info'],
  expiration: number | null,
): TradeRequest | OrderRefusal {
  const asked = { price: change.price ?? null, stoplimit: change.stoplimit ?? null };
  const prices = pricesOnGrid(asked, ['price', 'stoplimit'], info);
  if (prices instanceof OrderRefusal) return prices;
  const levels = newLevels(order, change, info);
  if (levels instanceof OrderRefusal) return levels;
  const keepsTime = expiration === null && change.clear_expiration !== true;
  const keptTime = keepsTime ? order.type_time : expiration === null ? OrderTime.GTC : OrderTime.SPECIFIED;
  return tradeRequest({
    action: TradeAction.MODIFY,
    order: order.ticket,
    symbol: order.symbol,
    magic: order.magic,
    type: order.type,
    type_filling: order.type_filling,
    volume: order.volume_current,
    price: prices.price ?? order.price_open,
    stoplimit: prices.stoplimit ?? order.price_stoplimit,
    ...levels,
    type_time: change.timeType ?? keptTime,
    expiration: keepsTime ? order.time_expiration : (expiration ?? 0),
  });
}

/**
 * Why a change is refused; null if it is not. Only changed values are checked, because others may be closer to the
 * market.
 */
export function changeRefusal(
  order: ChangedOrder,
  change: OrderChange,
  draft: TradeRequest,
  market: Market,
  limits: OrderLimits,
): OrderRefusal | null {
  if (change.stoplimit != null && !isStopLimitOrder(order.type)) {
    return fieldsRefused([{ field: 'stoplimit', problem: 'is for stop-limit orders only' }]);
  }
  const priceChanges = change.price != null || change.stoplimit != null;
  const proposed: ProposedOrder = {
    symbol: order.symbol,
    type: order.type as ClientOrderType,
    volume: order.volume_current,
    price: draft.price,
    stoplimit: isStopLimitOrder(order.type) ? draft.stoplimit : null,
    sl: (priceChanges || change.sl != null) && draft.sl > 0 ? draft.sl : null,
    tp: (priceChanges || change.tp != null) && draft.tp > 0 ? draft.tp : null,
    deviation: 0,
    filling: null,
    expirationMs: change.expirationMs,
    ...(change.timeType === undefined ? {} : { timeType: change.timeType }),
  };
  return (
    (priceChanges ? (priceBand(proposed, market, limits) ?? pendingPriceSide(proposed, market)) : null) ??
    levelsSide(proposed, market) ??
    expirationAllowed(proposed, market)
  );
}
