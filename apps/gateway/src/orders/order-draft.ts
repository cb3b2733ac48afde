import {
  OrderTime,
  TradeAction,
  tradeRequest,
  snapVolume,
  type OrderFilling,
  type TradeRequest,
} from '@libs/terminal-client';
import { isMarketOrder, marketPrice } from '../pre-trade/market-price';
import { priceOnGrid, type PriceField } from '../pre-trade/price-on-grid';
import type { Market, ProposedOrder } from '../pre-trade/proposed-order';

/** Who an order belongs to, as the terminal carries it. */
export interface OrderMarks {
  readonly magic: number;
  readonly comment: string;
}

const commentLength = 27;

/** A comment as terminals take it: printable ASCII, cut to 27 characters, since more makes them refuse the request. */
export function terminalComment(comment: string): string {
  return comment.replace(/[^\x20-\x7e]/g, '?').slice(0, commentLength);
}

/**
 * The same order on the symbol's grids: prices rounded half up, the volume without the noise of binary fractions.
 * @throws ApiError validation_error for a price that rounds to 0
 */
export function onGrids(order: ProposedOrder, { info }: Market): ProposedOrder {
  const onGrid = (field: PriceField): number | null => {
    const price = order[field];
    return price === null ? null : priceOnGrid(field, price, info);
  };
  return {
    ...order,
    volume: snapVolume(order.volume, info),
    price: onGrid('price'),
    stoplimit: onGrid('stoplimit'),
    sl: onGrid('sl'),
    tp: onGrid('tp'),
  };
}

/** The request for an order; `expiration` in server seconds, null for good till cancelled. */
export function orderDraft(
  order: ProposedOrder,
  market: Market,
  marks: OrderMarks,
  filling: OrderFilling,
  expiration: number | null,
): TradeRequest {
  return tradeRequest({
    action: isMarketOrder(order.type) ? TradeAction.DEAL : TradeAction.PENDING,
    ...marks,
    symbol: order.symbol,
    volume: order.volume,
    price: order.price ?? marketPrice(order.type, market.tick),
    stoplimit: order.stoplimit ?? 0,
    sl: order.sl ?? 0,
    tp: order.tp ?? 0,
    deviation: order.deviation,
    type: order.type,
    type_filling: filling,
    type_time: expiration === null ? OrderTime.GTC : OrderTime.SPECIFIED,
    expiration: expiration ?? 0,
  });
}
