import type {
  AccountInfo,
  HistoryQuery,
  JournaledRequest,
  LateOutcome,
  ListFilter,
  OrderCheckResult,
  SymbolInfo,
  TerminalClient,
  Tick,
  Timeframe,
  TradeDeal,
  TradeOrder,
  TradePosition,
  TradeRequest,
} from '@libs/terminal-client';
import { ClosingBars } from '../bars/closing-bars';
import { type LiveQuote, tickOf } from '../quotes/live-quote';
import type { QuoteSource } from '../quotes/quote-source';
import type { AccountOptions } from '../simulator-options';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { ServerClock } from '../time/server-clock';
import type { TicketSequence } from '../trading/ticket-sequence';
import { accountRecord } from './account-record';
import type { Broker } from './broker';
import { listDeals, listHistoryOrders, listOrders, listPositions } from './history-lists';
import { symbolTerms } from './symbol-record';
import type { Terminal } from './terminal';
import { invalidParams, malformation } from './trade-link';

const always = (): boolean => true;

/** The calls of the terminal's port that {@link DirectTerminal} answers at once. */
type DirectCalls = {
  [
    Name in
      | 'accountInfo'
      | 'symbolInfo'
      | 'symbolInfoTick'
      | 'positionsGet'
      | 'ordersGet'
      | 'historyOrdersGet'
      | 'historyDealsGet'
      | 'orderCheck'
      | 'orderCalcMargin'
      | 'orderCalcProfit'
  ]: (...call: Parameters<TerminalClient[Name]>) => Awaited<ReturnType<TerminalClient[Name]>>;
};

/** What trading on a symbol depends on, beside its prices of the moment. */
export interface Listing {
  readonly spec: SymbolSpec;
  readonly account: AccountOptions;
  /** They go on from the last tickets that the server gave, by themselves. */
  readonly tickets: { readonly orders: TicketSequence; readonly deals: TicketSequence };
  readonly source: QuoteSource;
  readonly clock: ServerClock;
  /** Whether it trades at an instant, in UTC milliseconds. */
  isOpen(utcMs: number): boolean;
}

/**
 * The simulated terminal as synchronous calls, for code that moves the market by itself: there is no link that could fail or
 * take time, and the configured account is logged in. A read does not move the market, as the clock of the simulator does
 * elsewhere. Everything else is as with {@link TerminalClient}.
 */
export class DirectTerminal implements DirectCalls {
  constructor(
    private readonly terminal: Terminal,
    private readonly broker: Broker,
  ) {}

  /** Present instant of the market, in UTC milliseconds. */
  get marketMs(): number {
    return this.broker.market.nowMs;
  }

  /** Grows with every position, order and deal that comes, changes or goes; prices alone leave it as it is. */
  get revision(): number {
    return this.broker.book.revision;
  }

  /** The broker server's wall clock against UTC, each instant by its own offset. */
  get serverClock(): Pick<ServerClock, 'utcMs' | 'serverMs'> {
    return this.broker.market.clock;
  }

  /** The present quote of a symbol in Market Watch, in UTC milliseconds; null when there is none. It changes in place. */
  quote(name: string): Readonly<LiveQuote> | null {
    const { broker } = this;
    const symbol = broker.market.symbols.get(name);
    return symbol && broker.isSelected(name) ? broker.market.quote(symbol) : null;
  }

  /** The bars of a symbol as they close, from one on; null for an unknown symbol. @param fromMs UTC milliseconds */
  closingBars(name: string, timeframe: Timeframe, fromMs: number): ClosingBars | null {
    const { market } = this.broker;
    const source = market.symbols.get(name)?.feed.source;
    return source ? new ClosingBars(source, market.clock, timeframe, fromMs) : null;
  }

  /** A symbol as it is listed: for code that plays its prices without the terminal. Null for an unknown symbol. */
  listing(name: string): Listing | null {
    const { market, account, book } = this.broker;
    const symbol = market.symbols.get(name);
    if (!symbol) return null;
    const { spec, hours } = symbol;
    const tickets = { orders: book.orderTickets.copy(), deals: book.dealTickets.copy() };
    return {
      spec,
      account,
      tickets,
      source: symbol.feed.source,
      clock: market.clock,
      isOpen: (ms) => hours.isOpen(ms),
    };
  }

  accountInfo(): AccountInfo {
    const { account, server } = this.broker;
    return accountRecord(account, account.login, server.valuation, { account: true, server: true });
  }

  symbolInfo(symbol: string): SymbolInfo | null {
    return this.broker.symbol(symbol);
  }

  /** The terms of {@link symbolInfo}, without its quotes and values: those of the moment would have to be computed. */
  symbolTerms(name: string): Readonly<SymbolInfo> | null {
    const symbol = this.broker.market.symbols.get(name);
    return symbol ? symbolTerms(symbol) : null;
  }

  symbolInfoTick(symbol: string): Tick | null {
    const quote = this.quote(symbol);
    return quote && tickOf(quote, this.broker.market.clock.offsetMs(quote.timeMs));
  }

  positionsGet(filter: ListFilter = {}): TradePosition[] {
    const { book, server } = this.broker;
    return listPositions(book, server.valuation, filter, always);
  }

  ordersGet(filter: ListFilter = {}): TradeOrder[] {
    const { broker } = this;
    return listOrders(broker.book, (order) => broker.orderPrice(order), filter, always);
  }

  historyOrdersGet(query: HistoryQuery): TradeOrder[] {
    return listHistoryOrders(this.broker.book, query, always);
  }

  historyDealsGet(query: HistoryQuery): TradeDeal[] {
    return listDeals(this.broker.book, query, always);
  }

  orderCheck(request: TradeRequest): OrderCheckResult {
    return this.broker.check(request);
  }

  /** The return code of {@link orderCheck}, without the sums as they would be after it. */
  checkedRetcode(request: TradeRequest): number {
    return this.broker.refuses(request)?.retcode ?? 0;
  }

  orderCalcMargin(type: number, symbol: string, volume: number, price: number): number | null {
    return this.broker.calcMargin(type, symbol, volume, price);
  }

  orderCalcProfit(type: number, symbol: string, volume: number, open: number, close: number): number | null {
    return this.broker.calcProfit(type, symbol, volume, open, close);
  }

  /** What an open position is worth at present prices, swap included, in the account's currency; 0 when it is closed. */
  floatingResult(ticket: number): number {
    const { book, server } = this.broker;
    const position = book.positions.get(ticket);
    return position ? server.valuation.floating(position) + position.swap : 0;
  }

  /**
   * Sends a request once. Its outcome is always known.
   * @param isChecked whether {@link checkedRetcode} was 0 for it, and the market and the books are as they were then
   */
  orderSend({ request }: JournaledRequest, isChecked = false): LateOutcome {
    const malformed = malformation(request);
    if (malformed !== null) return { kind: 'refused', lastError: invalidParams(malformed) };
    return { kind: 'answered', result: this.terminal.trade(request, isChecked) };
  }
}
