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
    return this.active('positions', filter, read, this.shown.account?.positions);
  }

  orders(broker: Broker, filter: ListFilter): TradeOrder[] {
    const read = (asked: ListFilter): TradeOrder[] =>
      listOrders(broker.book, (order) => broker.orderPrice(order), asked, this.shown.shows('orders'));
    return this.active('orders', filter, read, this.shown.account?.orders);
  }

  historyOrders({ book }: Broker, query: HistoryQuery): TradeOrder[] {
    const { account, habits } = this.shown;
    const rows = listHistoryOrders(book, onTradeClock(query, habits), this.shown.shows('history_orders'));
    return withHabits(habits, 'history_orders', account ? rows.filter(account.hadOrder) : rows);
  }

  deals({ book }: Broker, query: HistoryQuery): TradeDeal[] {
    const { account, habits } = this.shown;
    const rows = listDeals(book, onTradeClock(query, habits), this.shown.shows('deals'));
    return withHabits(habits, 'deals', account ? rows.filter(account.hadDeal) : rows);
  }

  /** Habits are of the whole list: a filter finds a position in each of its answers or in none. */
  private active<Row extends ListRow>(
    list: 'positions' | 'orders',
    filter: ListFilter,
    read: (filter: ListFilter) => Row[],
    standing: readonly Row[] | undefined,
  ): Row[] {
    const { habits } = this.shown;
    if (!standing && habits.length === 0) return read(filter);
    const rows = standing?.map((row) => ({ ...row })) ?? read({});
    return withHabits(habits, list, rows).filter(matcher(filter));
  }
}

/** A query of the times that are shown, in the times of the books. */
function onTradeClock(query: HistoryQuery, habits: readonly Fault[]): HistoryQuery {
  const fault = habits.find(({ kind }) => kind === 'trade-clock');
  if (fault?.kind !== 'trade-clock' || !('from' in query)) return query;
  return { ...query, from: query.from - fault.seconds, to: query.to - fault.seconds };
}
