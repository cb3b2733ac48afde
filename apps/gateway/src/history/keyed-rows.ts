import type { TradeDeal, TradeOrder } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import type { TradeJournal } from '../trade-journal/trade-journal';
import { dealRow, type DealRow } from './deal-row';
import { orderRow, type OrderRow } from './order-row';

/** Idempotency key of the request that a row came from; null when it came from elsewhere, or under none. */
interface Keyed {
  readonly client_order_id: string | null;
}

export type KeyedDeal = DealRow & Keyed;
export type KeyedOrder = OrderRow & Keyed;

/** A deal with the key of the request whose order made it. */
export function keyedDeal(deal: TradeDeal, serverTime: ServerTime, journal: TradeJournal): KeyedDeal {
  return { ...dealRow(deal, serverTime), client_order_id: journal.clientOrderIdOf(deal.order) };
}

/** An order, pending or done, with the key of the request that placed it. */
export function keyedOrder(order: TradeOrder, serverTime: ServerTime, journal: TradeJournal): KeyedOrder {
  return { ...orderRow(order, serverTime), client_order_id: journal.clientOrderIdOf(order.ticket) };
}
