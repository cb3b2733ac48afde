import type { LastError } from './last-error';
import type { PushedChanges } from './pushed-changes';
import type {
  AccountInfo,
  BarColumns,
  BookRow,
  SymbolInfo,
  TerminalInfo,
  Tick,
  TickColumns,
  TradeDeal,
  TradeOrder,
  TradePosition,
} from './records';
import type { JournaledRequest } from './sealing';
import type { Timeframe } from './timeframes';
import type { LateOutcome, OrderCheckResult, SendOutcome, TradeRequest } from './trade-request';

export interface Credentials {
  readonly login: number;
  readonly password: string;
  readonly server: string;
  /** How long the terminal may take to authorise. */
  readonly timeoutMs?: number;
}

export type LoginOutcome = { readonly ok: true } | { readonly ok: false; readonly lastError: LastError };

/** A filter; `ticket` and `symbol` are exact, `group` is a mask such as `*USD*,!EURUSD`. */
export interface ListFilter {
  readonly symbol?: string;
  readonly group?: string;
  readonly ticket?: number;
}

/** A window of server seconds, or the rows of one ticket, or those of one position. */
export type HistoryQuery =
  | { readonly from: number; readonly to: number; readonly group?: string }
  | { readonly ticket: number }
  | { readonly position: number };

export type LinkEvent =
  { readonly state: 'up' } | { readonly state: 'down'; readonly reason: string; readonly lastError: LastError };

export type Unsubscribe = () => void;

/**
 * One session with one trading terminal, with the terminal's own names. It is also its dependency-injection token.
 *
 * Reads throw {@link TerminalUnavailableError} if they get no answer; `null` means that the item does not exist.
 * `orderSend` never throws and is never repeated by anything behind this class. All times are server time.
 */
export abstract class TerminalClient {
  /** Starts or attaches the session without changing the account. Throws if there is no terminal. */
  abstract connect(): Promise<void>;
  /** Logs in to an account; a refusal is an outcome, an unreachable terminal throws. */
  abstract login(credentials: Credentials): Promise<LoginOutcome>;
  abstract terminalInfo(): Promise<TerminalInfo>;
  /** The account that is logged in, or null if none is. */
  abstract accountInfo(): Promise<AccountInfo | null>;

  /** Symbols whose name matches the group mask (all if there is no mask), in the terminal's order. */
  abstract symbolsGet(group?: string): Promise<SymbolInfo[]>;
  abstract symbolInfo(symbol: string): Promise<SymbolInfo | null>;
  /** Adds a symbol to Market Watch or removes it; false if it is unknown or in use. */
  abstract symbolSelect(symbol: string, enable: boolean): Promise<boolean>;
  /** The last quote of a selected symbol; null if it has none or is unknown. */
  abstract symbolInfoTick(symbol: string): Promise<Tick | null>;
  /** The last quotes of several symbols in one call, in the requested order. */
  abstract ticks(symbols: readonly string[]): Promise<(Tick | null)[]>;
  /**
   * The market depth, sells before buys, each by descending price. The terminal follows it from then on; the first read may be
   * empty. Null for an unknown symbol or one without depth.
   */
  abstract marketBook(symbol: string): Promise<BookRow[] | null>;

  /** `count` bars ending `start` bars back; bar 0 is the forming one and comes last. Null for an unknown symbol. */
  abstract copyRatesFromPos(
    symbol: string,
    timeframe: Timeframe,
    start: number,
    count: number,
  ): Promise<BarColumns | null>;
  /** Bars with `from` ≤ open ≤ `to`, in server seconds. Null for an unknown symbol. */
  abstract copyRatesRange(symbol: string, timeframe: Timeframe, from: number, to: number): Promise<BarColumns | null>;
  /** Ticks with `fromMsc` ≤ time ≤ `toMsc`, in server milliseconds. Null for an unknown symbol. */
  abstract copyTicksRange(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns | null>;

  abstract positionsGet(filter?: ListFilter): Promise<TradePosition[]>;
  /** Active pending orders, and market orders in flight. */
  abstract ordersGet(filter?: ListFilter): Promise<TradeOrder[]>;
  abstract historyOrdersGet(query: HistoryQuery): Promise<TradeOrder[]>;
  /** Deals by window, by order ticket (not the deal's own) or by position identifier. */
  abstract historyDealsGet(query: HistoryQuery): Promise<TradeDeal[]>;

  /** Checks a request without sending it. Success does not guarantee execution. */
  abstract orderCheck(request: TradeRequest): Promise<OrderCheckResult>;
  /** Sends one journalled request once. Never throws. */
  abstract orderSend(request: JournaledRequest): Promise<SendOutcome>;
  /** Margin in the deposit currency, or null if it cannot be computed (unknown symbol, no quote). */
  abstract orderCalcMargin(type: number, symbol: string, volume: number, price: number): Promise<number | null>;
  /** Profit in the deposit currency, or null if it cannot be computed (unknown symbol, no quote). */
  abstract orderCalcProfit(
    type: number,
    symbol: string,
    volume: number,
    priceOpen: number,
    priceClose: number,
  ): Promise<number | null>;

  /** The error of the last call. */
  abstract lastError(): Promise<LastError>;
  /** Disconnects from the terminal, which keeps running. */
  abstract shutdown(): Promise<void>;

  /** Reports when the connection to the terminal is lost or restored. */
  abstract onLink(listener: (event: LinkEvent) => void): Unsubscribe;
  /** The changes of the account as they happen; null from a terminal that cannot report them and has to be polled. */
  get pushes(): PushedChanges | null {
    return null;
  }
  /** Reports an answer to `orderSend`, or a proven refusal, that arrived after its deadline. */
  abstract onLateAnswer(listener: (intentId: string, outcome: LateOutcome) => void): Unsubscribe;
}
