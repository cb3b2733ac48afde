import type { CalcMarginRequest, CalcProfitRequest, OrderCheck } from './calculator-records';
import type { HealthReport, ReadinessReport } from './health-records';
import type { EventsPage, LastError, PositionSummary } from './history-records';
import { recordOf, rowsOf, shapes, type Shape } from './parse';
import type { HistoryWindow, Instant, ListFilter, PageSize } from './read-filters';
import type { Query, Reader } from './reader';
import type { Reconciliation, TradeRequestReport } from './reconciliation-records';
import type {
  AccountRecord,
  DealRecord,
  FullBarRecord,
  HistoryOrderRecord,
  OrderRecord,
  PositionRecord,
  TickRecord,
} from './records';
import type { OrderRequest } from './requests';
import type { SymbolListRecord, SymbolRecord } from './symbol-records';

type PagedWindow = HistoryWindow & PageSize;

/**
 * The gateway's reads. Each throws GatewayReadError when it has no answer, and tries again what may pass.
 * An empty list is returned only when the gateway said that it is empty.
 */
export class GatewayReads {
  constructor(private readonly reader: Reader) {}

  async health(): Promise<HealthReport> {
    return recordOf(await this.reader.get('/health'), shapes.health, 'health report');
  }

  /** The process is alive; says nothing of its terminal. */
  async healthLive(): Promise<{ readonly status: string }> {
    return recordOf(await this.reader.get('/health/live'), { status: 'string' }, 'sign of life');
  }

  /** Whether the gateway would trade now; `not_ready` is an answer, and no error. */
  async healthReady(): Promise<ReadinessReport> {
    return recordOf(await this.reader.get('/health/ready', {}, 'not_ready'), shapes.readiness, 'readiness report');
  }

  /** In Prometheus' text format. */
  metrics(): Promise<string> {
    return this.reader.getText('/metrics');
  }

  async account(): Promise<AccountRecord> {
    return recordOf(await this.reader.get('/account'), shapes.account, 'account');
  }

  /** The broker's symbols, by name; `search` is a group mask such as `*EUR*,!*CHF*`. */
  async symbols(search?: string): Promise<SymbolListRecord[]> {
    return rowsOf(await this.reader.get('/symbols', { search }), 'data', shapes.symbolRow, 'symbol');
  }

  async symbolInfo(symbol: string): Promise<SymbolRecord> {
    return recordOf(await this.reader.get(`/symbol_info/${encodeURIComponent(symbol)}`), shapes.symbol, 'symbol');
  }

  async symbolInfoTick(symbol: string): Promise<TickRecord> {
    return recordOf(await this.reader.get(`/symbol_info_tick/${encodeURIComponent(symbol)}`), shapes.tick, 'tick');
  }

  /** Bars, ascending; with `startPos` 0 the last one is still forming. */
  async fetchDataPos(symbol: string, timeframe: string, numBars: number, startPos = 0): Promise<FullBarRecord[]> {
    const query = { symbol, timeframe, num_bars: numBars, start_pos: startPos };
    return rowsOf(await this.reader.get('/fetch_data_pos', query), 'data', shapes.bar, 'bar');
  }

  /** The bars that open from `start` to `end`, both inside; ascending. */
  async fetchDataRange(symbol: string, timeframe: string, start: Instant, end: Instant): Promise<FullBarRecord[]> {
    const query = { symbol, timeframe, start, end };
    return rowsOf(await this.reader.getSpan('/fetch_data_range', query), 'data', shapes.bar, 'bar');
  }

  /** The ticks from `from` to `to`, both inside; `info` are those of bid and ask, `trade` those of last and volume. */
  async copyTicksRange(
    symbol: string,
    from: Instant,
    to: Instant,
    flags: 'all' | 'info' | 'trade' = 'all',
  ): Promise<TickRecord[]> {
    const query = { symbol, from_date: from, to_date: to, flags };
    return rowsOf(await this.reader.getSpan('/copy_ticks_range', query), 'data', shapes.tick, 'tick');
  }

  async positions(filter: ListFilter = {}): Promise<PositionRecord[]> {
    return rowsOf(await this.reader.get('/get_positions', { ...filter }), 'data', shapes.position, 'position');
  }

  async positionsTotal(): Promise<number> {
    const body = await this.reader.get('/positions_total');
    return recordOf<{ total: number }>(body, { total: 'number' }, 'count of positions').total;
  }

  /** The pending ones. */
  async orders(filter: ListFilter = {}): Promise<OrderRecord[]> {
    return rowsOf(await this.reader.get('/orders', { ...filter }), 'data', shapes.order, 'order');
  }

  /** What the terminal would say to an order; nothing is sent. */
  async orderCheck(request: OrderRequest): Promise<OrderCheck> {
    return recordOf(await this.reader.ask('/order_check', request), shapes.orderCheck, 'order check');
  }

  /** The margin an order would take, in the deposit currency. */
  async orderCalcMargin(request: CalcMarginRequest): Promise<number> {
    const body = await this.reader.ask('/order_calc_margin', request);
    return recordOf<{ margin: number }>(body, { margin: 'number' }, 'margin').margin;
  }

  /** The result of a trade between two prices, in the deposit currency. */
  async orderCalcProfit(request: CalcProfitRequest): Promise<number> {
    const body = await this.reader.ask('/order_calc_profit', request);
    return recordOf<{ profit: number }>(body, { profit: 'number' }, 'profit').profit;
  }

  /** All deals of a window, or of one position, for which the window may be left out. */
  historyDealsGet(query: HistoryWindow & { readonly position?: number } = {}): Promise<DealRecord[]> {
    return allOf(this.historyDealPages(query));
  }

  /** The same, page by page, oldest first. */
  historyDealPages(query: PagedWindow & { readonly position?: number } = {}): AsyncGenerator<DealRecord[]> {
    return this.pages('/history_deals_get', { ...query }, shapes.deal, 'deal');
  }

  /** All deals of one position. */
  dealsOfPosition(position: number): Promise<DealRecord[]> {
    return allOf(this.pages('/history_deals_get', { position }, shapes.deal, 'deal', 'get'));
  }

  /** All deals of a window, of one magic or of the whole account. */
  historyDealsRange(query: HistoryWindow & { readonly magic?: number } = {}): Promise<DealRecord[]> {
    return allOf(this.historyDealRangePages(query));
  }

  /** The same, page by page, oldest first. */
  historyDealRangePages(query: PagedWindow & { readonly magic?: number } = {}): AsyncGenerator<DealRecord[]> {
    return this.pages('/history_deals_range', { ...query }, shapes.deal, 'deal');
  }

  /** All orders that are done, of a window or by ticket. */
  historyOrdersGet(query: HistoryWindow & { readonly ticket?: number } = {}): Promise<HistoryOrderRecord[]> {
    return allOf(this.historyOrderPages(query));
  }

  /** The same, page by page, in the order in which they were done. */
  historyOrderPages(query: PagedWindow & { readonly ticket?: number } = {}): AsyncGenerator<HistoryOrderRecord[]> {
    return this.pages('/history_orders_get', { ...query }, shapes.pastOrder, 'order');
  }

  /** What the deals of a position add up to; null when the terminal knows no such position. */
  async dealFromTicket(position: number): Promise<PositionSummary | null> {
    const body = await this.reader.find('/get_deal_from_ticket', { ticket: position });
    return body === null ? null : recordOf(body, shapes.summary, 'position summary');
  }

  /** One order, pending or done; null when the terminal knows no such. */
  async orderFromTicket(ticket: number): Promise<HistoryOrderRecord | null> {
    const body = await this.reader.find('/get_order_from_ticket', { ticket });
    return body === null ? null : recordOf(body, shapes.pastOrder, 'order');
  }

  async lastError(): Promise<LastError> {
    return recordOf(await this.reader.get('/last_error'), { code: 'number', message: 'string' }, 'last error');
  }

  async lastErrorStr(): Promise<string> {
    const body = await this.reader.get('/last_error_str');
    return recordOf<{ message: string }>(body, { message: 'string' }, 'last error').message;
  }

  /** A page of the log behind the stream of trades, after `since`; without it from the oldest that is kept. */
  async events(
    query: { readonly since?: number; readonly limit?: number; readonly magic?: number } = {},
  ): Promise<EventsPage> {
    const body = await this.reader.get('/events', query);
    const { first_seq, last_seq, next_since, resync } = recordOf<EventsPage>(body, shapes.eventsPage, 'page of events');
    return { events: rowsOf(body, 'data', shapes.event, 'event'), first_seq, last_seq, next_since, resync };
  }

  /** Positions, orders and recent deals as of one instant; of one magic, or of the whole account. */
  async reconcile(filter: { readonly magic?: number; readonly lookback_hours?: number } = {}): Promise<Reconciliation> {
    const body = await this.reader.get('/reconcile', filter);
    return {
      as_of: recordOf<{ as_of: string }>(body, { as_of: 'string' }, 'reconciliation').as_of,
      positions: rowsOf(body, 'positions', shapes.position, 'position'),
      orders: rowsOf(body, 'orders', shapes.order, 'order'),
      deals: rowsOf(body, 'deals', shapes.deal, 'deal'),
      unresolved: rowsOf(body, 'unresolved', {}, 'trade request'),
      differences: rowsOf(body, 'differences', shapes.difference, 'difference'),
    };
  }

  /** What became of an idempotency key; null when the gateway's journal does not know it. */
  async tradeRequest(key: string): Promise<TradeRequestReport | null> {
    const body = await this.reader.find(`/trade_requests/${encodeURIComponent(key)}`);
    return body === null ? null : recordOf(body, shapes.tradeRequest, 'trade request');
  }

  /** Follows the cursor until there is nothing more. */
  private async *pages<T>(
    path: string,
    query: Query,
    shape: Shape,
    what: string,
    read: 'get' | 'getSpan' = 'getSpan',
  ): AsyncGenerator<T[]> {
    let cursor: string | null = null;
    do {
      const body = await this.reader[read](path, cursor === null ? query : { ...query, cursor });
      yield rowsOf<T>(body, 'data', shape, what);
      cursor = nextCursorOf(body);
    } while (cursor !== null);
  }
}

async function allOf<T>(pages: AsyncGenerator<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** A gateway from before there were pages answers all rows at once, and no cursor. */
function nextCursorOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('next_cursor' in body)) return null;
  return typeof body.next_cursor === 'string' ? body.next_cursor : null;
}
