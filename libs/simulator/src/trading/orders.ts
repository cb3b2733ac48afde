import { OrderFilling, OrderState, OrderTime, TradeReason, type TradeRequest } from '@libs/terminal-client';
import type { ActiveOrder } from './book';
import type { Desk } from './desk';

type OrderFields = Pick<ActiveOrder, 'type' | 'symbol' | 'volume_initial'> & Partial<ActiveOrder>;

/** A new order with the next ticket, set up at this instant; it is in no list yet. */
export function newOrder({ market, book }: Desk, fields: OrderFields): ActiveOrder {
  const msc = market.serverMs;
  return {
    ticket: book.orderTickets.next(),
    time_setup: Math.floor(msc / 1_000),
    time_setup_msc: msc,
    time_done: 0,
    time_done_msc: 0,
    time_expiration: 0,
    type_time: OrderTime.GTC,
    type_filling: OrderFilling.FOK,
    state: OrderState.PLACED,
    magic: 0,
    position_id: 0,
    position_by_id: 0,
    reason: TradeReason.EXPERT,
    volume_current: fields.volume_initial,
    price_open: 0,
    sl: 0,
    tp: 0,
    price_current: 0,
    price_stoplimit: 0,
    comment: '',
    external_id: '',
    expires_ms: 0,
    closes: 0,
    margin_rate: 0,
    ...fields,
  };
}

/** A new order as a request asks for it. */
export function orderOf(desk: Desk, request: TradeRequest): ActiveOrder {
  return newOrder(desk, {
    type: request.type,
    symbol: request.symbol,
    volume_initial: request.volume,
    type_filling: request.type_filling,
    type_time: request.type_time,
    magic: request.magic,
    price_open: request.price,
    price_stoplimit: request.stoplimit,
    sl: request.sl,
    tp: request.tp,
    comment: request.comment,
  });
}

/** Ends an order in a state, at this instant, and moves it to the history. */
export function finish({ market, book }: Desk, order: ActiveOrder, state: number): void {
  order.state = state;
  order.time_done_msc = market.serverMs;
  order.time_done = Math.floor(market.serverMs / 1_000);
  book.finishOrder(order);
}
