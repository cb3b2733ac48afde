import type { Clock } from '@libs/clock';
import {
  type AccountChange,
  type AccountInfo,
  type BarColumns,
  type BookRow,
  type Credentials,
  type HistoryQuery,
  type JournaledRequest,
  type LastError,
  LastErrorCode,
  type LinkEvent,
  type ListFilter,
  type LoginOutcome,
  type OrderCheckResult,
  type LateOutcome,
  type PushedChanges,
  type SendOutcome,
  type SymbolInfo,
  TerminalClient,
  type TerminalInfo,
  TerminalUnavailableError,
  type Tick,
  type TickColumns,
  type Timeframe,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
  type TradeRequest,
  type Unsubscribe,
} from '@libs/terminal-client';
import { ticksInRange } from '../bars/tick-history';
import type { Market, MarketSymbol } from '../market/market';
import { tickOf } from '../quotes/live-quote';
import { marketBook } from './market-book';
import { terminalRecord } from './account-record';
import type { Broker } from './broker';
import type { ReadMethod } from './fault';
import { HistoryReadError } from '../trading/history-disk';
import { ShownLists } from './shown-lists';
import { type StandingView, standingSymbol } from './standing-view';
import type { Terminal } from './terminal';
import { sendThrough } from './trade-link';

const linkDown: LastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'No IPC connection' };
const success: LastError = { code: LastErrorCode.OK, message: 'Success' };
const callFailed: LastError = { code: LastErrorCode.FAIL, message: 'Terminal: Call failed' };
const invalidParams: LastError = { code: LastErrorCode.INVALID_PARAMS, message: 'Invalid params' };
const notFound: LastError = { code: LastErrorCode.NOT_FOUND, message: 'Terminal: Not found' };

/** One session with the simulated terminal, in the same process; it sees the terminal's faults as a real one would. */
export class SimulatorClient extends TerminalClient {
  private attached = false;
  private error: LastError = success;
  private readonly linkListeners = new Set<(event: LinkEvent) => void>();
  private readonly lateListeners = new Set<(intentId: string, outcome: LateOutcome) => void>();
  private readonly changeListeners = new Set<(change: AccountChange) => void>();
  private readonly pushed: PushedChanges;
  private readonly lists: ShownLists;

  /** @param tradeTimeoutMs how long a send waits for an answer that does not come */
  constructor(
    private readonly terminal: Terminal,
    private readonly clock: Clock,
    private readonly tradeTimeoutMs: number,
  ) {
    super();
    this.lists = new ShownLists(terminal.shown);
    const revision = (): number | null => (this.attached ? this.terminal.revision : null);
    const priceRevision = (): number | null => (this.attached ? this.terminal.priceRevision : null);
    const { changeListeners } = this;
    this.pushed = {
      get revision() {
        return revision();
      },
      get priceRevision() {
        return priceRevision();
      },
      quoteDueMs: (symbols) => (this.attached ? this.terminal.quoteDueMs(symbols) : null),
      onChange: (listener) => {
        changeListeners.add(listener);
        return () => void changeListeners.delete(listener);
      },
    };
  }

  override get pushes(): PushedChanges {
    return this.pushed;
  }

  /** The account changed. */
  changed(change: AccountChange): void {
    for (const listener of this.changeListeners) listener(change);
  }

  async connect(): Promise<void> {
    if (!this.terminal.isReachable) {
      throw this.failed({ code: LastErrorCode.INTERNAL_FAIL_INIT, message: 'IPC initialize failed' });
    }
    this.error = success;
    if (this.attached) return;
    this.attached = true;
    this.terminal.attach(this);
    this.tell({ state: 'up' });
  }

  async login(credentials: Credentials): Promise<LoginOutcome> {
    await this.latency('reads');
    this.requireLink();
    const ok = this.terminal.login(credentials);
    this.error = ok ? success : { code: LastErrorCode.AUTH_FAILED, message: 'Terminal: Authorization failed' };
    return ok ? { ok } : { ok, lastError: this.error };
  }

  async terminalInfo(): Promise<TerminalInfo> {
    await this.latency('reads');
    this.requireLink();
    this.failIfAsked('terminalInfo');
    const { company } = this.terminal.account;
    return terminalRecord(company, this.terminal.isConnected, {
      tradeAllowed: this.terminal.tradingOff('terminal') === null,
      apiDisabled: this.terminal.isClosedToPrograms,
    });
  }

  async accountInfo(): Promise<AccountInfo | null> {
    await this.latency('reads');
    this.requireLink();
    this.failIfAsked('accountInfo');
    const login = this.terminal.loggedIn;
    if (login === null) return null;
    return this.terminal.shown.accountShown(this.terminal.accountNow(login), () => this.listedPositions());
  }

  async symbolsGet(group?: string): Promise<SymbolInfo[]> {
    const broker = await this.read('symbolsGet');
    const symbols = broker.symbols(group).filter(({ name }) => this.knows(name));
    const { quotes } = this.terminal.shown;
    return quotes ? symbols.map((symbol) => standingSymbol(quotes, symbol)) : symbols;
  }

  async symbolInfo(symbol: string): Promise<SymbolInfo | null> {
    const broker = await this.read('symbolInfo');
    const found = this.knows(symbol) ? broker.symbol(symbol) : null;
    const { quotes } = this.terminal.shown;
    return this.known(found && quotes ? standingSymbol(quotes, found) : found);
  }

  async symbolSelect(symbol: string, enable: boolean): Promise<boolean> {
    const broker = await this.read('symbolSelect');
    const isDone = this.knows(symbol) && broker.select(symbol, enable);
    if (!isDone) this.error = callFailed;
    return isDone;
  }

  async symbolInfoTick(symbol: string): Promise<Tick | null> {
    const broker = await this.read('symbolInfoTick');
    return this.known(this.knows(symbol) ? tick(broker, this.terminal.shown.quotes, symbol) : null);
  }

  async ticks(symbols: readonly string[]): Promise<(Tick | null)[]> {
    const broker = await this.read('ticks');
    const { quotes } = this.terminal.shown;
    return symbols.map((symbol) => (this.knows(symbol) ? tick(broker, quotes, symbol) : null));
  }

  async marketBook(symbol: string): Promise<BookRow[] | null> {
    const broker = await this.read('marketBook');
    const found = this.symbolOf(broker, symbol);
    const quote = found && tick(broker, this.terminal.shown.quotes, symbol);
    return this.known(found ? (quote ? marketBook(quote, found.spec) : []) : null);
  }

  async copyRatesFromPos(
    symbol: string,
    timeframe: Timeframe,
    start: number,
    count: number,
  ): Promise<BarColumns | null> {
    const broker = await this.read('copyRatesFromPos');
    if (!(start >= 0) || !(count >= 0)) {
      this.error = invalidParams;
      return null;
    }
    const bars = this.symbolOf(broker, symbol)?.bars;
    return this.known(bars ? await bars.fromPosition(timeframe, start, count, this.shownMs(broker.market)) : null);
  }

  async copyRatesRange(symbol: string, timeframe: Timeframe, from: number, to: number): Promise<BarColumns | null> {
    const broker = await this.read('copyRatesRange');
    const bars = this.symbolOf(broker, symbol)?.bars;
    return this.known(bars ? await bars.range(timeframe, from, to, this.shownMs(broker.market)) : null);
  }

  async copyTicksRange(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns | null> {
    const broker = await this.read('copyTicksRange');
    const { market } = broker;
    const source = this.symbolOf(broker, symbol)?.feed.source;
    return this.known(
      source ? ticksInRange(source, market.clock, { fromMsc, toMsc }, flags, this.shownMs(market)) : null,
    );
  }

  async positionsGet(filter: ListFilter = {}): Promise<TradePosition[]> {
    return this.lists.positions(await this.read('positionsGet'), filter);
  }

  private listedPositions(): readonly TradePosition[] {
    return this.lists.positions(this.terminal.brokerNow(), {});
  }

  async ordersGet(filter: ListFilter = {}): Promise<TradeOrder[]> {
    return this.lists.orders(await this.read('ordersGet'), filter);
  }

  async historyOrdersGet(query: HistoryQuery): Promise<TradeOrder[]> {
    const broker = await this.read('historyOrdersGet');
    return this.fromHistory(() => this.lists.historyOrders(broker, query));
  }

  async historyDealsGet(query: HistoryQuery): Promise<TradeDeal[]> {
    const broker = await this.read('historyDealsGet');
    return this.fromHistory(() => this.lists.deals(broker, query));
  }

  async orderCheck(request: TradeRequest): Promise<OrderCheckResult> {
    const broker = await this.read('orderCheck');
    return broker.check(this.terminal.understood(request));
  }

  async orderSend(request: JournaledRequest): Promise<SendOutcome> {
    const outcome = await sendThrough(request, {
      terminal: this.terminal,
      clock: this.clock,
      timeoutMs: this.tradeTimeoutMs,
      isAttached: () => this.attached,
      drop: (reason) => this.drop(reason),
      late: (outcome) => this.lateListeners.forEach((listener) => listener(request.intentId, outcome)),
    });
    this.error = outcome.kind === 'answered' ? success : outcome.lastError;
    return outcome;
  }

  async orderCalcMargin(type: number, symbol: string, volume: number, price: number): Promise<number | null> {
    const broker = await this.read('orderCalcMargin');
    return this.known(this.knows(symbol) ? broker.calcMargin(type, symbol, volume, price) : null);
  }

  async orderCalcProfit(
    type: number,
    symbol: string,
    volume: number,
    priceOpen: number,
    priceClose: number,
  ): Promise<number | null> {
    const broker = await this.read('orderCalcProfit');
    return this.known(this.knows(symbol) ? broker.calcProfit(type, symbol, volume, priceOpen, priceClose) : null);
  }

  async lastError(): Promise<LastError> {
    return this.error;
  }

  async shutdown(): Promise<void> {
    this.attached = false;
    this.terminal.detach(this);
  }

  onLink(listener: (event: LinkEvent) => void): Unsubscribe {
    this.linkListeners.add(listener);
    return () => void this.linkListeners.delete(listener);
  }

  onLateAnswer(listener: (intentId: string, outcome: LateOutcome) => void): Unsubscribe {
    this.lateListeners.add(listener);
    return () => void this.lateListeners.delete(listener);
  }

  /** The way to the terminal is lost; {@link connect} finds it again when there is one. */
  drop(reason: string): void {
    if (!this.attached) return;
    this.attached = false;
    this.terminal.detach(this);
    this.error = linkDown;
    this.tell({ state: 'down', reason, lastError: linkDown });
  }

  /** Lets a read in: waits out its latency, and refuses it without a link or a login. */
  private async read(method: ReadMethod): Promise<Broker> {
    await this.latency('reads');
    this.requireLink();
    this.failIfAsked(method);
    if (this.terminal.loggedIn === null) {
      throw this.failed({ code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'Not connected to a trade server' });
    }
    this.error = success;
    return this.terminal.brokerNow();
  }

  private async latency(calls: 'reads'): Promise<void> {
    const ms = this.terminal.latencyMs(calls);
    if (ms > 0) await this.clock.sleep(ms);
  }

  private requireLink(): void {
    if (!this.attached || !this.terminal.isReachable) throw this.failed(linkDown);
  }

  private failIfAsked(method: ReadMethod): void {
    const { faults } = this.terminal;
    const fault = faults.strike('failed-reads', ({ methods }) => methods === undefined || methods.includes(method));
    if (!fault) return;
    this.error = { code: fault.code ?? LastErrorCode.FAIL, message: 'Terminal: Call failed' };
    throw new TerminalUnavailableError(fault.failure ?? 'failed', this.error);
  }

  private failed(lastError: LastError): TerminalUnavailableError {
    this.error = lastError;
    return new TerminalUnavailableError('disconnected', lastError);
  }

  /** Old rows can be on disk: the call fails if they cannot be read. */
  private fromHistory<T>(read: () => T[]): T[] {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof HistoryReadError)) throw error;
      this.error = callFailed;
      throw new TerminalUnavailableError('failed', callFailed);
    }
  }

  /** Whether the terminal knows a symbol already; null is answered for all of one that it does not know. */
  private knows(symbol: string): boolean {
    return this.terminal.shown.knowsSymbol(symbol);
  }

  private symbolOf({ market }: Broker, name: string): MarketSymbol | undefined {
    return this.knows(name) ? market.symbols.get(name) : undefined;
  }

  private known<T>(value: T | null): T | null {
    if (value === null) this.error = notFound;
    return value;
  }

  /** Instant of the market up to which prices show, in UTC milliseconds. */
  private shownMs({ nowMs }: Market): number {
    return this.terminal.shown.quotes?.marketMs ?? nowMs;
  }

  private tell(event: LinkEvent): void {
    for (const listener of this.linkListeners) listener(event);
  }
}

function tick(broker: Broker, standing: StandingView | null, name: string): Tick | null {
  if (standing) return standing.ticks.get(name) ?? null;
  const { market } = broker;
  const symbol = market.symbols.get(name);
  const quote = symbol && broker.isSelected(name) ? market.quote(symbol) : null;
  return quote && tickOf(quote, market.clock.offsetMs(quote.timeMs));
}
