import {
  OrderTime,
  snapVolume,
  TradeAction,
  tradeRequest,
  type OrderFilling,
  type TradeRequest,
} from '@libs/terminal-client';
import { permittedFillings } from './fillings';
import { isMarketOrder, marketPrice } from './market-price';
import { pricesOnGrid } from './price-on-grid';
import type { Market, ProposedOrder } from './proposed-order';
import { OrderRefusal } from './refusal';

/** The owner of an order, in the terminal's fields. */
export interface OrderMarks {
  readonly magic: number;
  readonly comment: string;
}

const commentLength = 27;

/** Cuts a comment to 27 characters of printable ASCII, because terminals reject requests with longer ones. */
export function terminalComment(comment: string): string {
  return comment.replace(/[^\x20-\x7e]/g, '?').slice(0, commentLength);
}

/**
 * Snaps an order to the symbol's grids: prices rounded half up, the volume without the noise of binary fractions.
 * @returns a refusal for a price that rounds to 0
 */
export function onGrids(order: ProposedOrder, { info }: Pick<Market, 'info'>): ProposedOrder | OrderRefusal {
  const prices = pricesOnGrid(order, ['price', 'stoplimit', 'sl', 'tp'], info);
  if (prices instanceof OrderRefusal) return prices;
  // A volume that rounds to 0 stays as it was, so that its refusal names what was asked for.
  return { ...order, ...prices, volume: snapVolume(order.volume, info) || order.volume };
}

/**
 * The request of an order, one per permitted filling, preferred first.
 * @param expiration server seconds; null for good till cancelled
 */
export function orderDrafts(
  order: ProposedOrder,
  market: Market,
  marks: OrderMarks,
  expiration: number | null,
): TradeRequest[] {
  const fillings = order.filling === null ? permittedFillings(order.type, market.info) : [order.filling];
  return fillings.map((filling) => orderDraft(order, market, marks, filling, expiration));
}

function orderDraft(
  order: ProposedOrder,
  market: Market,
  marks: OrderMarks,
  filling: OrderFilling,
  expiration: number | null,
): TradeRequest {
  return tradeRequest({
    action: isMarketOrder(order.type) ? TradeAction.DEAL : TradeAction.PENDING,
    magic: marks.magic,
    comment: marks.comment,
    symbol: order.symbol,
    volume: order.volume,
    price: order.price ?? marketPrice(order.type, market.tick),
    stoplimit: order.stoplimit ?? 0,
    sl: order.sl ?? 0,
    tp: order.tp ?? 0,
    deviation: order.deviation,
    type: order.type,
    type_filling: filling,
    type_time: order.timeType ?? (expiration === null ? OrderTime.GTC : OrderTime.SPECIFIED),
    expiration: expiration ?? 0,
  });
}
