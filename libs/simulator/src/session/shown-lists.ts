import type { HistoryQuery, ListFilter, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import type { Broker } from './broker';
import type { Fault } from './fault';
import { type ListRow, withHabits } from './habits';
import { listDeals, listHistoryOrders, listOrders, listPositions, matcher } from './history-lists';
import type { ShownFaults } from './shown-faults';

/** The account's lists as a session shows them: those of the books, unless a fault makes something else of them. */
export class ShownLists {
  constructor(private readonly shown: ShownFaults) {}

  positions({ book, server }: Broker, filter: ListFilter): TradePosition[] {
    const read = (asked: ListFilter): TradePosition[] =>
      listPositions(book, server.valuation, asked, this.shown.shows('positions'));
    const past = this.shown.late?.positions?.positions;
    const standing = (this.shown.account ?? this.shown.ofLastSession('positions'))?.positions;
    return this.active('positions', filter, past ? () => atPresentPrices(past, read({})) : read, standing);
  }

  orders(broker: Broker, filter: ListFilter): TradeOrder[] {
    const read = (asked: ListFilter): TradeOrder[] =>
      listOrders(broker.book, (order) => broker.orderPrice(order), asked, this.shown.shows('orders'));
    const past = this.shown.late?.orders?.orders;
    const standing = (this.shown.account ?? this.shown.ofLastSession('orders'))?.orders;
    return this.active('orders', filter, past ? () => [...past.values()] : read, standing);
  }

  historyOrders({ book }: Broker, query: HistoryQuery): TradeOrder[] {
    const { habits, around } = this.shown;
    const standing = this.shown.account ?? this.shown.ofLastSession('history_orders');
    const rows = listHistoryOrders(book, onTradeClock(query, habits), this.shown.shows('history_orders'));
    const shown = withHabits(habits, 'history_orders', standing ? rows.filter(standing.hadOrder) : rows, around);
    return ofPosition(query, shown);
  }

  deals({ book }: Broker, query: HistoryQuery): TradeDeal[] {
    const { habits, around } = this.shown;
    const standing = this.shown.account ?? this.shown.ofLastSession('deals');
    const rows = listDeals(book, onTradeClock(query, habits), this.shown.shows('deals'));
    return ofPosition(query, withHabits(habits, 'deals', standing ? rows.filter(standing.hadDeal) : rows, around));
  }

  /** Habits are of the whole list: a filter finds a position in each of its answers or in none. */
  private active<Row extends ListRow>(
    list: 'positions' | 'orders',
    filter: ListFilter,
    read: (filter: ListFilter) => Row[],
    standing: readonly Row[] | undefined,
  ): Row[] {
    const { habits, around } = this.shown;
    if (!standing && habits.length === 0) return read(filter);
    const rows = standing?.map((row) => ({ ...row })) ?? read({});
    return withHabits(habits, list, rows, around).filter(matcher(filter));
  }
}

/** Rows of before; what still stands as it did has its present price and profit. */
function atPresentPrices(past: ReadonlyMap<number, TradePosition>, now: readonly TradePosition[]): TradePosition[] {
  const present = new Map(now.map((row) => [row.ticket, row]));
  return [...past.values()].map((row) => {
    const same = present.get(row.ticket);
    if (!same || same.volume !== row.volume || same.type !== row.type) return row;
    return { ...row, price_current: same.price_current, swap: same.swap, profit: same.profit };
  });
}

/** A row that does not show its position yet is not found by it. */
function ofPosition<Row extends TradeOrder | TradeDeal>(query: HistoryQuery, rows: Row[]): Row[] {
  return 'position' in query ? rows.filter(({ position_id }) => position_id !== 0) : rows;
}

/** A query of the times that are shown, in the times of the books. */
function onTradeClock(query: HistoryQuery, habits: readonly Fault[]): HistoryQuery {
  const fault = habits.find(({ kind }) => kind === 'trade-clock');
  if (fault?.kind !== 'trade-clock' || !('from' in query)) return query;
  return { ...query, from: query.from - fault.seconds, to: query.to - fault.seconds };
}
