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
import { accountRecord } from './account-record';
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

/**
 * The simulated terminal as synchronous calls, for code that moves the market by itself: there is no link that could fail or
 * take time, and the configured account is logged in. Everything else is as with {@link TerminalClient}.
 */
export class DirectTerminal implements DirectCalls {
  constructor(private readonly terminal: Terminal) {}

  /** The present quote of a symbol in Market Watch, in UTC milliseconds; null when there is none. It changes in place. */
  quote(name: string): Readonly<LiveQuote> | null {
    const broker = this.terminal.brokerNow();
    const symbol = broker.market.symbols.get(name);
    return symbol && broker.isSelected(name) ? broker.market.quote(symbol) : null;
  }

  /** The bars of a symbol as they close, from one on; null for an unknown symbol. @param fromMs UTC milliseconds */
  closingBars(name: string, timeframe: Timeframe, fromMs: number): ClosingBars | null {
    const { market } = this.terminal.brokerNow();
    const source = market.symbols.get(name)?.feed.source;
    return source ? new ClosingBars(source, market.clock, timeframe, fromMs) : null;
  }

  accountInfo(): AccountInfo {
    const { account, server } = this.terminal.brokerNow();
    return accountRecord(account, account.login, server.valuation, { account: true, server: true });
  }

  symbolInfo(symbol: string): SymbolInfo | null {
    return this.terminal.brokerNow().symbol(symbol);
  }

  /** The terms of {@link symbolInfo}, without its quotes and values: those of the moment would have to be computed. */
  symbolTerms(name: string): Readonly<SymbolInfo> | null {
    const symbol = this.terminal.brokerNow().market.symbols.get(name);
    return symbol ? symbolTerms(symbol) : null;
  }

  symbolInfoTick(symbol: string): Tick | null {
    const quote = this.quote(symbol);
    return quote && tickOf(quote, this.terminal.brokerNow().market.clock.offsetMs(quote.timeMs));
  }

  positionsGet(filter: ListFilter = {}): TradePosition[] {
    const { book, server } = this.terminal.brokerNow();
    return listPositions(book, server.valuation, filter, always);
  }

  ordersGet(filter: ListFilter = {}): TradeOrder[] {
    const broker = this.terminal.brokerNow();
    return listOrders(broker.book, (order) => broker.orderPrice(order), filter, always);
  }

  historyOrdersGet(query: HistoryQuery): TradeOrder[] {
    return listHistoryOrders(this.terminal.brokerNow().book, query, always);
  }

  historyDealsGet(query: HistoryQuery): TradeDeal[] {
    return listDeals(this.terminal.brokerNow().book, query, always);
  }

  orderCheck(request: TradeRequest): OrderCheckResult {
    return this.terminal.brokerNow().check(request);
  }

  /** The return code of {@link orderCheck}, without the sums as they would be after it. */
  checkedRetcode(request: TradeRequest): number {
    return this.terminal.brokerNow().refuses(request)?.retcode ?? 0;
  }

  orderCalcMargin(type: number, symbol: string, volume: number, price: number): number | null {
    return this.terminal.brokerNow().calcMargin(type, symbol, volume, price);
  }

  orderCalcProfit(type: number, symbol: string, volume: number, open: number, close: number): number | null {
    return this.terminal.brokerNow().calcProfit(type, symbol, volume, open, close);
  }

  /** What an open position is worth at present prices, swap included, in the account's currency; 0 when it is closed. */
  floatingResult(ticket: number): number {
    const { book, server } = this.terminal.brokerNow();
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
