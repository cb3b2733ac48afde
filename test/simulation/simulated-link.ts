import {
  TerminalClient,
  TerminalUnavailableError,
  type AccountInfo,
  type BarColumns,
  type BookRow,
  type Credentials,
  type HistoryQuery,
  type JournaledRequest,
  type LastError,
  type LinkEvent,
  type ListFilter,
  type LoginOutcome,
  type OrderCheckResult,
  type LateOutcome,
  type SendOutcome,
  type SymbolInfo,
  type TerminalInfo,
  type Tick,
  type TickColumns,
  type Timeframe,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
  type TradeRequest,
  type Unsubscribe,
} from '@libs/terminal-client';
import type { FillLookUps } from './judging/fill-look-ups';
import { cut, down, LinkWire, type WireWorld } from './link-wire';
import type { PortCalls } from './port-calls';
import type { SendRecord } from './sends';

export interface LinkDeadlines {
  readonly readMs: number;
  readonly sendMs: number;
  readonly loginMs: number;
}

/** What the world around a link provides. */
export interface LinkWorld extends WireWorld {
  readonly calls: PortCalls;
  readonly deadlines: LinkDeadlines;
  /** The gateway hands over a send. */
  readonly sending: (request: JournaledRequest) => SendRecord;
  /** The broker is asked; what it does is written to the record. */
  readonly execute: (session: TerminalClient, request: JournaledRequest, send: SendRecord) => Promise<SendOutcome>;
  /** The gateway hears which account is logged in; null: none. */
  readonly accountRead: (login: number | null) => void;
  /** The gateway hears how the terminal stands; when it asked, in virtual milliseconds. */
  readonly terminalRead: (beganMs: number) => void;
  /** The gateway asks for the deals of an order; what it hears. */
  readonly lookUps?: Pick<FillLookUps, 'began' | 'answered'>;
  readonly trace: (line: string) => void;
}

/**
 * The terminal as a gateway sees it over a link that delays, loses and cuts. It gives the outcomes of the product's own link
 * client: a send without an answer is unknown, one that never left is refused, a read without an answer throws.
 */
export class SimulatedLink extends TerminalClient {
  private readonly wire: LinkWire;
  private readonly linkListeners = new Set<(event: LinkEvent) => void>();
  private readonly lateListeners = new Set<(intentId: string, outcome: LateOutcome) => void>();

  constructor(private readonly world: LinkWorld) {
    super();
    this.wire = new LinkWire(world);
    world.session.onLink((event) => {
      if (event.state === 'down') this.lose(event.reason);
    });
  }

  async connect(): Promise<void> {
    await this.world.calls.begin('link connect');
    if (!this.wire.isUp) {
      if (!this.world.weather.isReachable) throw new TerminalUnavailableError('disconnected', down);
      this.wire.open();
      this.tell({ state: 'up' });
    }
    await this.read('connect', (session) => session.connect(), this.world.deadlines.loginMs);
  }

  login(credentials: Credentials): Promise<LoginOutcome> {
    return this.read('login', (session) => session.login(credentials), this.world.deadlines.loginMs);
  }

  async terminalInfo(): Promise<TerminalInfo> {
    const { time, terminalRead } = this.world;
    const beganMs = time.elapsedMs;
    const info = await this.read('terminalInfo', (session) => session.terminalInfo());
    terminalRead(beganMs);
    return info;
  }

  async accountInfo(): Promise<AccountInfo | null> {
    const info = await this.read('accountInfo', (session) => session.accountInfo());
    this.world.accountRead(info?.login ?? null);
    return info;
  }

  symbolsGet(group?: string): Promise<SymbolInfo[]> {
    return this.read('symbolsGet', (session) => session.symbolsGet(group));
  }

  symbolInfo(symbol: string): Promise<SymbolInfo | null> {
    return this.read('symbolInfo', (session) => session.symbolInfo(symbol));
  }

  symbolSelect(symbol: string, enable: boolean): Promise<boolean> {
    return this.read('symbolSelect', (session) => session.symbolSelect(symbol, enable));
  }

  symbolInfoTick(symbol: string): Promise<Tick | null> {
    return this.read('symbolInfoTick', (session) => session.symbolInfoTick(symbol));
  }

  ticks(symbols: readonly string[]): Promise<(Tick | null)[]> {
    return this.read('ticks', (session) => session.ticks(symbols));
  }

  copyRatesFromPos(symbol: string, frame: Timeframe, start: number, count: number): Promise<BarColumns | null> {
    return this.read('copyRatesFromPos', (session) => session.copyRatesFromPos(symbol, frame, start, count));
  }

  copyRatesRange(symbol: string, frame: Timeframe, from: number, to: number): Promise<BarColumns | null> {
    return this.read('copyRatesRange', (session) => session.copyRatesRange(symbol, frame, from, to));
  }

  copyTicksRange(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns | null> {
    return this.read('copyTicksRange', (session) => session.copyTicksRange(symbol, fromMsc, toMsc, flags));
  }

  positionsGet(filter?: ListFilter): Promise<TradePosition[]> {
    return this.read('positionsGet', (session) => session.positionsGet(filter));
  }

  ordersGet(filter?: ListFilter): Promise<TradeOrder[]> {
    return this.read('ordersGet', (session) => session.ordersGet(filter));
  }

  historyOrdersGet(query: HistoryQuery): Promise<TradeOrder[]> {
    return this.read('historyOrdersGet', (session) => session.historyOrdersGet(query));
  }

  async historyDealsGet(query: HistoryQuery): Promise<TradeDeal[]> {
    const { lookUps } = this.world;
    if ('ticket' in query) lookUps?.began(query.ticket);
    const deals = await this.read('historyDealsGet', (session) => session.historyDealsGet(query));
    if ('ticket' in query) lookUps?.answered(query.ticket, deals);
    return deals;
  }

  orderCheck(request: TradeRequest): Promise<OrderCheckResult> {
    return this.read('orderCheck', (session) => session.orderCheck(request));
  }

  async orderSend(request: JournaledRequest): Promise<SendOutcome> {
    const { calls, weather, trace, deadlines } = this.world;
    await calls.begin('link orderSend');
    const send = this.world.sending(request);
    if (!this.wire.isUp) {
      send.fate = 'lost';
      send.answeredAtMs = this.world.time.elapsedMs;
      return { kind: 'refused', lastError: down };
    }
    const fate = weather.nextSend();
    trace(`send ${send.number} ${send.marker}${fate.plain ? '' : ` (${fate.words})`}`);
    if (fate.requestLost) send.fate = 'lost';
    const outcome = await this.wire.call({
      deadlineMs: deadlines.sendMs,
      requestMs: fate.requestMs,
      answerMs: fate.answerMs,
      requestLost: fate.requestLost,
      answerLost: fate.answerLost,
      run: (session) => this.world.execute(session, request, send),
      lost: () => (send.fate = 'lost'),
      expired: () => (send.fate = 'dropped'),
      late: (value) => this.takeLate(request.intentId, value),
    });
    send.answeredAtMs = this.world.time.elapsedMs;
    await calls.end('link orderSend');
    switch (outcome.kind) {
      case 'answer':
        return outcome.value as SendOutcome;
      case 'none':
        return { kind: 'unknown', reason: outcome.lastError.message, lastError: outcome.lastError };
      case 'error':
        return { kind: 'unknown', reason: String(outcome.error), lastError: cut };
    }
  }

  orderCalcMargin(type: number, symbol: string, volume: number, price: number): Promise<number | null> {
    return this.read('orderCalcMargin', (session) => session.orderCalcMargin(type, symbol, volume, price));
  }

  marketBook(symbol: string): Promise<BookRow[] | null> {
    return this.read('marketBook', (session) => session.marketBook(symbol));
  }

  orderCalcProfit(type: number, symbol: string, volume: number, open: number, close: number): Promise<number | null> {
    return this.read('orderCalcProfit', (session) => session.orderCalcProfit(type, symbol, volume, open, close));
  }

  lastError(): Promise<LastError> {
    return this.read('lastError', (session) => session.lastError());
  }

  async shutdown(): Promise<void> {
    this.wire.close();
    await this.world.session.shutdown();
  }

  onLink(listener: (event: LinkEvent) => void): Unsubscribe {
    this.linkListeners.add(listener);
    return () => void this.linkListeners.delete(listener);
  }

  onLateAnswer(listener: (intentId: string, outcome: LateOutcome) => void): Unsubscribe {
    this.lateListeners.add(listener);
    return () => void this.lateListeners.delete(listener);
  }

  /** The connection is gone; what is on the wire may still reach the terminal. */
  lose(reason: string): void {
    if (!this.wire.isUp) return;
    this.wire.break();
    this.tell({ state: 'down', reason, lastError: { ...down, message: reason } });
  }

  private async read<T>(method: string, run: (session: TerminalClient) => Promise<T>, deadlineMs?: number): Promise<T> {
    const { calls, weather, deadlines } = this.world;
    await calls.begin(`link ${method}`);
    if (!this.wire.isUp) throw new TerminalUnavailableError('disconnected', down);
    const { requestMs, answerMs } = weather.nextRead();
    const outcome = await this.wire.call({
      deadlineMs: deadlineMs ?? deadlines.readMs,
      requestMs,
      answerMs,
      requestLost: false,
      answerLost: false,
      run,
      lost: () => undefined,
      expired: () => undefined,
      late: () => undefined,
    });
    await calls.end(`link ${method}`);
    if (outcome.kind === 'answer') return outcome.value as T;
    if (outcome.kind === 'none') throw new TerminalUnavailableError(outcome.failure, outcome.lastError);
    throw outcome.error;
  }

  private takeLate(intentId: string, value: unknown): void {
    const outcome = value as SendOutcome;
    if (outcome.kind === 'unknown') return;
    this.world.trace(`late answer to ${intentId}: ${outcome.kind}`);
    for (const listener of this.lateListeners) listener(intentId, outcome);
  }

  private tell(event: LinkEvent): void {
    this.world.life.reach(() => {
      for (const listener of this.linkListeners) listener(event);
    });
  }
}
