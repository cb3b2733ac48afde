import type { HistoryQuery, ListFilter, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { groupMask } from '../symbols/group-mask';
import { type Book, type OpenPosition, orderRecord } from '../trading/book';
import type { Valuation } from '../trading/valuation';

/** Whether a record that came to be at a server time (milliseconds) shows already. */
export type Shows = (msc: number) => boolean;

/** Open positions at current prices. The symbol wins over the ticket, as in the terminal. */
export function listPositions(book: Book, valuation: Valuation, filter: ListFilter, shows: Shows): TradePosition[] {
  const matches = matcher(filter);
  const found: TradePosition[] = [];
  for (const position of candidates(book.positions, filter)) {
    if (!matches(position) || !shows(position.time_msc)) continue;
    found.push(positionRecord(position, valuation));
  }
  return found;
}

/** A position as the terminal shows it, at the current price. */
function positionRecord(position: OpenPosition, valuation: Valuation): TradePosition {
  return {
    ticket: position.ticket,
    time: position.time,
    time_msc: position.time_msc,
    time_update: position.time_update,
    time_update_msc: position.time_update_msc,
    type: position.type,
    magic: position.magic,
    identifier: position.identifier,
    reason: position.reason,
    volume: position.volume,
    price_open: position.price_open,
    sl: position.sl,
    tp: position.tp,
    price_current: valuation.closePrice(position),
    swap: position.swap,
    profit: valuation.floating(position),
    symbol: position.symbol,
    comment: position.comment,
    external_id: position.external_id,
  };
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
  for (const order of candidates(book.orders, filter)) {
    if (!matches(order) || !shows(order.time_setup_msc)) continue;
    const record = orderRecord(order);
    record.price_current = priceOf(order);
    found.push(record);
  }
  return found;
}

export function listHistoryOrders({ historyOrders }: Book, query: HistoryQuery, shows: Shows): TradeOrder[] {
  return inGroup(historyOrders.find(query), query).filter(({ time_done_msc }) => shows(time_done_msc));
}

/** Deals; by ticket means by the ticket of their order. */
export function listDeals({ deals }: Book, query: HistoryQuery, shows: Shows): TradeDeal[] {
  return inGroup(deals.find(query), query).filter(({ time_msc }) => shows(time_msc));
}

/** Of a ticket, the one record that has it. */
function candidates<T>(records: ReadonlyMap<number, T>, { symbol, ticket }: ListFilter): Iterable<T> {
  if (symbol !== undefined || ticket === undefined) return records.values();
  const record = records.get(ticket);
  return record === undefined ? [] : [record];
}

/** Whether a record is in a filtered list. */
export function matcher({
  symbol,
  ticket,
  group,
}: ListFilter): (record: { symbol: string; ticket: number }) => boolean {
  if (symbol !== undefined) return (record) => record.symbol === symbol;
  if (ticket !== undefined) return (record) => record.ticket === ticket;
  if (group === undefined) return () => true;
  const inGroup = groupMask(group);
  return (record) => inGroup(record.symbol);
}

function inGroup<T extends { readonly symbol: string }>(rows: T[], query: HistoryQuery): T[] {
  if (!('group' in query) || query.group === undefined) return rows;
  const isIn = groupMask(query.group);
  return rows.filter(({ symbol }) => isIn(symbol));
}
