import type { keyedDealRowFields, keyedOrderRowFields, RecordOf } from '@libs/records';
import type { TradeDeal, TradeOrder } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import type { TradeJournal } from '../trade-journal/trade-journal';
import { dealRow } from './deal-row';
import { orderRow } from './order-row';

export type KeyedDeal = Readonly<RecordOf<typeof keyedDealRowFields>>;
export type KeyedOrder = Readonly<RecordOf<typeof keyedOrderRowFields>>;

/** A deal with the key of the request whose order made it. */
export function keyedDeal(deal: TradeDeal, serverTime: ServerTime, journal: TradeJournal): KeyedDeal {
  return { ...dealRow(deal, serverTime), client_order_id: journal.clientOrderIdOf(deal.order) };
}

/** An order, pending or completed, with the key of the request that placed it. */
export function keyedOrder(order: TradeOrder, serverTime: ServerTime, journal: TradeJournal): KeyedOrder {
  return { ...orderRow(order, serverTime), client_order_id: journal.clientOrderIdOf(order.ticket) };
}
