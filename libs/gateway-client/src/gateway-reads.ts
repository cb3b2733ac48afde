import type { CalcMarginRequest, CalcProfitRequest, OrderCheck } from './calculator-records';
import type {
  DaemonStrategies,
  HealthReport,
  ReadinessReport,
  SetAsideNotification,
  StrategyLog,
  StrategyResults,
} from './health-records';
import type { SignalRecord } from './signal-records';
import type { EquityPage, EquityQuery, EquityReading, EventsPage, LastError, PositionSummary } from './history-records';
import type { DealsOf, HistoryWindow, Instant, ListFilter, OrdersOf, PageSize } from './read-filters';
import type { Query, Reader } from './reader';
import type {
  AuditVerification,
  KeyedAudit,
  RecentRequests,
  Reconciliation,
  TradeRequestReport,
} from './reconciliation-records';
import type {
  AccountRecord,
  BookRecord,
  DealRecord,
  FullBarRecord,
  HistoryOrderRecord,
  OrderRecord,
  PositionRecord,
  TickRecord,
} from './records';
import type { RecordShape } from './record-shape';
import type { OrderRequest, OrderSendRequest } from './requests';
import { shapes } from './shapes';
import type { ServerTimeRecord, SymbolListRecord, SymbolRecord, TerminalRecord } from './symbol-records';

const largestEquityPage = 10_000;

/** Which alerts to list. */
export interface SignalQuery {
  readonly source?: string;
  readonly state?: SignalRecord['state'];
  /** Only later numbers. */
  readonly after?: number;
  readonly limit?: number;
}

type TickFilter = 'all' | 'info' | 'trade';
type PagedWindow = HistoryWindow & PageSize;

/**
 * The gateway's reads. Each throws GatewayReadError if it gets no answer, and retries failures that may pass. An empty
 * list is returned only if the gateway reported an empty list.
 */
export class GatewayReads {
  constructor(private readonly reader: Reader) {}

  async health(): Promise<HealthReport> {
    return shapes.health.record(await this.reader.get('/health'));
  }

  /** Whether the process is alive, regardless of its terminal. */
  async healthLive(): Promise<{ readonly status: string }> {
    return shapes.liveness.record(await this.reader.get('/health/live'));
  }

  /** Whether the gateway can trade now; `not_ready` is an answer, not an error. */
  async healthReady(): Promise<ReadinessReport> {
    return shapes.readiness.record(await this.reader.get('/health/ready', {}, 'not_ready'));
  }

  /** The strategies of the daemon that the gateway knows. */
  async daemonStrategies(): Promise<DaemonStrategies> {
    return shapes.daemonStrategies.record(await this.reader.get('/console/strategies'));
  }

  /**
   * The newest lines of the log of one of them, or of a portfolio; that of a child is `portfolio/child`.
   * @throws GatewayReadError not_found if the daemon has no such log
   */
  async strategyLog(name: string, lines = 200): Promise<StrategyLog> {
    const body = await this.reader.get(`/console/strategies/${encodeURIComponent(name)}/log`, { lines });
    return shapes.strategyLog.record(body);
  }

  /**
   * What one of them earned in the last days, and the backtest of it; names as for {@link strategyLog}.
   * @throws GatewayReadError not_found if the daemon has no such strategy
   */
  async strategyResults(name: string, days = 30): Promise<StrategyResults> {
    const body = await this.reader.get(`/console/strategies/${encodeURIComponent(name)}/results`, { days });
    return shapes.strategyResults.record(body);
  }

  /** The notifications that were set aside, by channel, the oldest first. */
  async setAsideNotifications(): Promise<SetAsideNotification[]> {
    return shapes.setAside.rows(await this.reader.get('/notifications/set_aside'));
  }

  /** The newest alerts of the sources of signals, and what became of each, newest first; at most 1,000. */
  async signals(query: SignalQuery = {}): Promise<SignalRecord[]> {
    return shapes.signal.rows(await this.reader.get('/signals', { ...query }));
  }

  /** In Prometheus' text format. */
  metrics(): Promise<string> {
    return this.reader.getText('/metrics');
  }

  async account(): Promise<AccountRecord> {
    return shapes.account.record(await this.reader.get('/account'));
  }

  /** Balance and equity as the gateway recorded them each minute, oldest first. A minute without a reading has none. */
  async equity(query: EquityQuery = {}): Promise<EquityReading[]> {
    const rows: EquityReading[] = [];
    for (let since = query.since ?? null, isFirst = true; isFirst || since !== null; isFirst = false) {
      const page = await this.equityPage(since === null ? query : { ...query, since });
      rows.push(...page.readings);
      since = page.next_since;
    }
    return rows;
  }

  /** The first page of equity readings, and whether the gateway records them. */
  async equityPage(query: EquityQuery = {}): Promise<EquityPage> {
    const body = await this.reader.getSpan('/account/equity', { ...query, limit: largestEquityPage });
    return { ...shapes.equityPage.record(body), readings: shapes.equity.rows(body) };
  }

  /** The broker's symbols, by name; `search` is a group mask such as `*EUR*,!*CHF*`. */
  async symbols(search?: string): Promise<SymbolListRecord[]> {
    return shapes.symbolRow.rows(await this.reader.get('/symbols', { search }));
  }

  /** The full records of the symbols of a group mask, in the broker's order; all without one. */
  async symbolsGet(group?: string): Promise<SymbolRecord[]> {
    return shapes.symbol.rows(await this.reader.getSpan('/symbols_get', { group }));
  }

  /** The terminal itself: its build, paths and permissions. */
  async terminalInfo(): Promise<TerminalRecord> {
    return shapes.terminal.record(await this.reader.get('/terminal_info'));
  }

  async symbolInfo(symbol: string): Promise<SymbolRecord> {
    return shapes.symbol.record(await this.reader.get(`/symbol_info/${encodeURIComponent(symbol)}`));
  }

  async symbolInfoTick(symbol: string): Promise<TickRecord> {
    return shapes.tick.record(await this.reader.get(`/symbol_info_tick/${encodeURIComponent(symbol)}`));
  }

  /** The market depth: sells, then buys, each by descending price. */
  async marketBook(symbol: string): Promise<BookRecord[]> {
    return shapes.bookRow.rows(await this.reader.get(`/market_book/${encodeURIComponent(symbol)}`));
  }

  /** Bars, ascending; with `startPos` 0 the last one is still forming. */
  async fetchDataPos(symbol: string, timeframe: string, numBars: number, startPos = 0): Promise<FullBarRecord[]> {
    const query = { symbol, timeframe, num_bars: numBars, start_pos: startPos };
    return shapes.bar.rows(await this.reader.get('/fetch_data_pos', query));
  }

  /** The bars that open from `start` to `end`, inclusive, ascending. */
  async fetchDataRange(symbol: string, timeframe: string, start: Instant, end: Instant): Promise<FullBarRecord[]> {
    const query = { symbol, timeframe, start, end };
    return shapes.bar.rows(await this.reader.getSpan('/fetch_data_range', query));
  }

  /** A time in UTC and on the broker server's clock, with the offset that is in force at that time. */
  async serverTime(date: Instant): Promise<ServerTimeRecord> {
    return shapes.serverTime.record(await this.reader.get('/server_time', { date }));
  }

  /** The last bars that open at `date` or before it, ascending. */
  async copyRatesFrom(symbol: string, timeframe: string, date: Instant, count: number): Promise<FullBarRecord[]> {
    const query = { symbol, timeframe, date, num_bars: count };
    return shapes.bar.rows(await this.reader.getSpan('/copy_rates_from', query));
  }

  /** The first ticks from `from` on; `flags` as in {@link copyTicksRange}. */
  async copyTicksFrom(symbol: string, from: Instant, count: number, flags: TickFilter = 'all'): Promise<TickRecord[]> {
    const query = { symbol, from_date: from, num_ticks: count, flags };
    return shapes.tick.rows(await this.reader.getSpan('/copy_ticks_from', query));
  }

  /** The ticks from `from` to `to`, inclusive; `info` are changes of bid and ask, `trade` those of last and volume. */
  async copyTicksRange(symbol: string, from: Instant, to: Instant, flags: TickFilter = 'all'): Promise<TickRecord[]> {
    const query = { symbol, from_date: from, to_date: to, flags };
    return shapes.tick.rows(await this.reader.getSpan('/copy_ticks_range', query));
  }

  async positions(filter: ListFilter = {}): Promise<PositionRecord[]> {
    return shapes.position.rows(await this.reader.get('/get_positions', { ...filter }));
  }

  async positionsTotal(): Promise<number> {
    const body = await this.reader.get('/positions_total');
    return shapes.count.record(body).total;
  }

  /** Pending orders. */
  async orders(filter: ListFilter = {}): Promise<OrderRecord[]> {
    return shapes.order.rows(await this.reader.get('/orders', { ...filter }));
  }

  /** The terminal's check of an order; nothing is sent. */
  async orderCheck(request: OrderRequest): Promise<OrderCheck> {
    return shapes.orderCheck.record(await this.reader.ask('/order_check', request));
  }

  /** The terminal's check of a trade request in its own fields: also of closes and changes. Nothing is sent. */
  async orderSendCheck(request: OrderSendRequest): Promise<OrderCheck> {
    return shapes.orderCheck.record(await this.reader.ask('/order_send/check', request));
  }

  /** The margin that an order requires, in the deposit currency. */
  async orderCalcMargin(request: CalcMarginRequest): Promise<number> {
    const body = await this.reader.ask('/order_calc_margin', request);
    return shapes.margin.record(body).margin;
  }

  /** The profit of a trade between two prices, in the deposit currency. */
  async orderCalcProfit(request: CalcProfitRequest): Promise<number> {
    const body = await this.reader.ask('/order_calc_profit', request);
    return shapes.profit.record(body).profit;
  }

  /** All deals of a window, or of one position or order, for which the window is optional. */
  historyDealsGet(query: HistoryWindow & DealsOf = {}): Promise<DealRecord[]> {
    return allOf(this.historyDealPages(query));
  }

  /** The same, page by page, oldest first. */
  historyDealPages(query: PagedWindow & DealsOf = {}): AsyncGenerator<DealRecord[]> {
    return this.pages('/history_deals_get', { ...query }, shapes.deal);
  }

  /** All deals of one position. */
  dealsOfPosition(position: number): Promise<DealRecord[]> {
    return allOf(this.pages('/history_deals_get', { position }, shapes.deal, 'get'));
  }

  /** All deals of a window, of one magic or of the whole account. */
  historyDealsRange(query: HistoryWindow & { readonly magic?: number } = {}): Promise<DealRecord[]> {
    return allOf(this.historyDealRangePages(query));
  }

  /** The same, page by page, oldest first. */
  historyDealRangePages(query: PagedWindow & { readonly magic?: number } = {}): AsyncGenerator<DealRecord[]> {
    return this.pages('/history_deals_range', { ...query }, shapes.deal);
  }

  /** All completed orders, of a window, of one position, or by ticket. */
  historyOrdersGet(query: HistoryWindow & OrdersOf = {}): Promise<HistoryOrderRecord[]> {
    return allOf(this.historyOrderPages(query));
  }

  /** The same, page by page, in order of completion. */
  historyOrderPages(query: PagedWindow & OrdersOf = {}): AsyncGenerator<HistoryOrderRecord[]> {
    return this.pages('/history_orders_get', { ...query }, shapes.pastOrder);
  }

  /** How many deals a window has. */
  async historyDealsTotal(window: HistoryWindow = {}): Promise<number> {
    return shapes.count.record(await this.reader.getSpan('/history_deals_total', { ...window })).total;
  }

  /** How many orders were placed or completed in a window. */
  async historyOrdersTotal(window: HistoryWindow = {}): Promise<number> {
    return shapes.count.record(await this.reader.getSpan('/history_orders_total', { ...window })).total;
  }

  /** Summary of a position's deals; null if the terminal does not know the position. */
  async dealFromTicket(position: number): Promise<PositionSummary | null> {
    const body = await this.reader.find('/get_deal_from_ticket', { ticket: position });
    return body === null ? null : shapes.summary.record(body);
  }

  /** One order, pending or completed; null if the terminal does not know it. */
  async orderFromTicket(ticket: number): Promise<HistoryOrderRecord | null> {
    const body = await this.reader.find('/get_order_from_ticket', { ticket });
    return body === null ? null : shapes.pastOrder.record(body);
  }

  async lastError(): Promise<LastError> {
    return shapes.lastError.record(await this.reader.get('/last_error'));
  }

  async lastErrorStr(): Promise<string> {
    const body = await this.reader.get('/last_error_str');
    return shapes.lastErrorText.record(body).message;
  }

  /** A page of the event log after `since`; without it, from the oldest event that is kept. */
  async events(
    query: { readonly since?: number; readonly limit?: number; readonly magic?: number } = {},
  ): Promise<EventsPage> {
    const body = await this.reader.get('/events', query);
    const { first_seq, last_seq, next_since, resync } = shapes.eventsPage.record(body);
    return { events: shapes.event.rows(body), first_seq, last_seq, next_since, resync };
  }

  /** Positions, orders and recent deals as of one instant; of one magic, or of the whole account. */
  async reconcile(filter: { readonly magic?: number; readonly lookback_hours?: number } = {}): Promise<Reconciliation> {
    const body = await this.reader.get('/reconcile', filter);
    return {
      as_of: shapes.reconciliation.record(body).as_of,
      positions: shapes.position.rows(body, 'positions'),
      orders: shapes.order.rows(body, 'orders'),
      deals: shapes.deal.rows(body, 'deals'),
      unresolved: shapes.unresolved.rows(body, 'unresolved'),
      differences: shapes.difference.rows(body, 'differences'),
    };
  }

  /** The journal's record of an idempotency key; null if the journal has none. */
  async tradeRequest(key: string): Promise<TradeRequestReport | null> {
    const body = await this.reader.find(`/trade_requests/${encodeURIComponent(key)}`);
    return body === null ? null : shapes.tradeRequest.record(body);
  }

  /** The newest trade requests and what came of each, newest first; `key` is a part of their keys. */
  async tradeRequests(query: { readonly key?: string; readonly limit?: number } = {}): Promise<RecentRequests> {
    const body = await this.reader.get('/trade_requests', query);
    return { ...shapes.recentRequests.record(body), requests: shapes.recentRequest.rows(body) };
  }

  /** The lines of an idempotency key in the gateway's audit log; none prove nothing unless they are `complete`. */
  async auditLines(key: string): Promise<KeyedAudit> {
    return shapes.keyedAudit.record(await this.reader.get(`/trade_requests/${encodeURIComponent(key)}/audit`));
  }

  /** Checks the gateway's whole audit log. A long one takes seconds. */
  async auditVerification(): Promise<AuditVerification> {
    return shapes.auditVerification.record(await this.reader.getSpan('/audit/verification', {}));
  }

  /** Follows the cursor to the last page. */
  private async *pages<T>(
    path: string,
    query: Query,
    shape: RecordShape<T>,
    read: 'get' | 'getSpan' = 'getSpan',
  ): AsyncGenerator<T[]> {
    let cursor: string | null = null;
    do {
      const body = await this.reader[read](path, cursor === null ? query : { ...query, cursor });
      yield shape.rows(body);
      cursor = nextCursorOf(body);
    } while (cursor !== null);
  }
}

async function allOf<T>(pages: AsyncGenerator<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** A gateway without paging returns all rows at once, and no cursor. */
function nextCursorOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('next_cursor' in body)) return null;
  return typeof body.next_cursor === 'string' ? body.next_cursor : null;
}
