import type { HistoryQuery, ListFilter, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { groupMask } from '../symbols/group-mask';
import { type Book, orderRecord } from '../trading/book';
import type { Valuation } from '../trading/valuation';

/** Whether a record that came to be at a server time (milliseconds) shows already. */
export type Shows = (msc: number) => boolean;

/** Open positions at current prices. The symbol wins over the ticket, as in the terminal. */
export function listPositions(book: Book, valuation: Valuation, filter: ListFilter, shows: Shows): TradePosition[] {
  const matches = matcher(filter);
  const found: TradePosition[] = [];
  for (const position of book.positions.values()) {
    if (!matches(position) || !shows(position.time_msc)) continue;
    const { margin_rate: _, ...record } = position;
    record.price_current = valuation.closePrice(position);
    record.profit = valuation.floating(position);
    found.push(record);
  }
  return found;
}

/** Active orders at current prices. */
export function listOrders(
  book: Book,
  priceOf: (order: TradeOrder) => number,
  filter: ListFilter,
  shows: Shows,
): TradeOrder[] {
  const matches = matcher(filter);
  const found: TradeOrder[] = [];
  for (const order of book.orders.values()) {
    if (!matches(order) || !shows(order.time_setup_msc)) continue;
    const record = orderRecord(order);
    record.price_current = priceOf(order);
    found.push(record);
  }
  return found;
}

export function listHistoryOrders(book: Book, query: HistoryQuery, shows: Shows): TradeOrder[] {
  const matches = historyMatcher(query, (order: TradeOrder) => order.ticket);
  return book.historyOrders
    .filter((order) => matches(order, order.time_done) && shows(order.time_done_msc))
    .map((order) => ({ ...order }));
}

/** Deals; by ticket means by the ticket of their order. */
export function listDeals(book: Book, query: HistoryQuery, shows: Shows): TradeDeal[] {
  const matches = historyMatcher(query, (deal: TradeDeal) => deal.order);
  return book.deals.filter((deal) => matches(deal, deal.time) && shows(deal.time_msc)).map((deal) => ({ ...deal }));
}

function matcher({ symbol, ticket, group }: ListFilter): (record: { symbol: string; ticket: number }) => boolean {
  if (symbol !== undefined) return (record) => record.symbol === symbol;
  if (ticket !== undefined) return (record) => record.ticket === ticket;
  if (group === undefined) return () => true;
  const inGroup = groupMask(group);
  return (record) => inGroup(record.symbol);
}

function historyMatcher<T extends { readonly symbol: string; readonly position_id: number }>(
  query: HistoryQuery,
  ticketOf: (record: T) => number,
): (record: T, time: number) => boolean {
  if ('ticket' in query) return (record) => ticketOf(record) === query.ticket;
  if ('position' in query) return (record) => record.position_id === query.position;
  const inGroup = query.group === undefined ? () => true : groupMask(query.group);
  return (record, time) => time >= query.from && time <= query.to && inGroup(record.symbol);
}
