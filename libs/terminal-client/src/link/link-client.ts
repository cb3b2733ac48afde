import type { Clock } from '@libs/clock';
import { type LastError, LastErrorCode, TerminalUnavailableError } from '../last-error';
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
} from '../records';
import type { JournaledRequest } from '../sealing';
import {
  type Credentials,
  type HistoryQuery,
  type LinkEvent,
  type ListFilter,
  type LoginOutcome,
  TerminalClient,
  type Unsubscribe,
} from '../terminal-client';
import type { Timeframe } from '../timeframes';
import type { LateOutcome, OrderCheckResult, SendOutcome, TradeRequest } from '../trade-request';
import * as shape from './answer-shape';
import { type CallOutcome, LinkConnection, type LinkTarget } from './link-connection';
import { isObject, type LinkNotification } from './link-protocol';
import { resultOf } from './read-outcome';
import { sendOutcome } from './send-outcome';

export interface LinkClientOptions {
  /** `host:port`, an IPv6 host in brackets. */
  readonly address: string;
  readonly token: string;
  /** Deadline of a read, and of the greeting. */
  readonly callTimeoutMs: number;
  /** Deadline of `orderSend`; also the longest wait of a send at the peer before it is dropped. */
  readonly tradeTimeoutMs: number;
  /** How long the terminal may take to authorise; 60 s as in its own package. */
  readonly loginTimeoutMs?: number;
  /** How long `connect` may take; 120 s without it. The package waits up to 102 s for a terminal that starts cold. */
  readonly connectTimeoutMs?: number;
}

/** An unsolicited quote from the peer. */
export interface PushedTick {
  readonly symbol: string;
  readonly tick: Tick;
}

const defaultLoginTimeoutMs = 60_000;
const defaultConnectTimeoutMs = 120_000;

/** The terminal at the other end of the link. */
export class LinkClient extends TerminalClient {
  private connection: LinkConnection | null = null;
  private opening: Promise<void> | null = null;
  private readonly target: LinkTarget;
  private readonly linkListeners = new Set<(event: LinkEvent) => void>();
  private readonly lateListeners = new Set<(intentId: string, outcome: LateOutcome) => void>();
  private readonly tickListeners = new Set<(pushed: PushedTick) => void>();

  constructor(
    private readonly options: LinkClientOptions,
    private readonly clock: Clock,
  ) {
    super();
    this.target = { ...parseAddress(options.address), token: options.token };
  }

  /** Opens the link if it is down, then starts or attaches the terminal at the other end. */
  async connect(): Promise<void> {
    await this.open();
    await this.read('connect', [], () => undefined, this.options.connectTimeoutMs ?? defaultConnectTimeoutMs);
  }

  async login(credentials: Credentials): Promise<LoginOutcome> {
    const timeoutMs = credentials.timeoutMs ?? this.loginTimeoutMs;
    const params = [{ ...credentials, timeoutMs }];
    // The peer gives up first, so that its reason arrives instead of silence.
    const outcome = await this.call('login', params, timeoutMs + this.options.callTimeoutMs);
    if (outcome.kind === 'error' && outcome.error.data?.kind === 'refused') {
      return { ok: false, lastError: { code: outcome.error.code, message: outcome.error.message } };
    }
    resultOf(outcome, () => undefined);
    return { ok: true };
  }

  terminalInfo(): Promise<TerminalInfo> {
    return this.read('terminalInfo', [], shape.terminalInfo);
  }

  accountInfo(): Promise<AccountInfo | null> {
    return this.read('accountInfo', [], shape.nullable(shape.accountInfo));
  }

  symbolsGet(group?: string): Promise<SymbolInfo[]> {
    return this.read('symbolsGet', [group ?? null], shape.listOf(shape.symbolInfo));
  }

  symbolInfo(symbol: string): Promise<SymbolInfo | null> {
    return this.read('symbolInfo', [symbol], shape.nullable(shape.symbolInfo));
  }

  symbolSelect(symbol: string, enable: boolean): Promise<boolean> {
    return this.read('symbolSelect', [symbol, enable], shape.booleanAnswer);
  }

  symbolInfoTick(symbol: string): Promise<Tick | null> {
    return this.read('symbolInfoTick', [symbol], shape.nullable(shape.tick));
  }

  ticks(symbols: readonly string[]): Promise<(Tick | null)[]> {
    return this.read('ticks', [symbols], shape.listOf(shape.nullable(shape.tick)));
  }

  marketBook(symbol: string): Promise<BookRow[] | null> {
    return this.read('marketBook', [symbol], shape.nullable(shape.listOf(shape.bookRow)));
  }

  copyRatesFromPos(symbol: string, timeframe: Timeframe, start: number, count: number): Promise<BarColumns | null> {
    return this.read('copyRatesFromPos', [symbol, timeframe, start, count], shape.nullable(shape.barColumns));
  }

  copyRatesRange(symbol: string, timeframe: Timeframe, from: number, to: number): Promise<BarColumns | null> {
    return this.read('copyRatesRange', [symbol, timeframe, from, to], shape.nullable(shape.barColumns));
  }

  copyTicksRange(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns | null> {
    return this.read('copyTicksRange', [symbol, fromMsc, toMsc, flags], shape.nullable(shape.tickColumns));
  }

  positionsGet(filter?: ListFilter): Promise<TradePosition[]> {
    return this.read('positionsGet', [filter ?? null], shape.listOf(shape.tradePosition));
  }

  ordersGet(filter?: ListFilter): Promise<TradeOrder[]> {
    return this.read('ordersGet', [filter ?? null], shape.listOf(shape.tradeOrder));
  }

  historyOrdersGet(query: HistoryQuery): Promise<TradeOrder[]> {
    return this.read('historyOrdersGet', [query], shape.listOf(shape.tradeOrder));
  }

  historyDealsGet(query: HistoryQuery): Promise<TradeDeal[]> {
    return this.read('historyDealsGet', [query], shape.listOf(shape.tradeDeal));
  }

  orderCheck(request: TradeRequest): Promise<OrderCheckResult> {
    return this.read('orderCheck', [request], shape.orderCheckResult);
  }

  async orderSend({ intentId, request }: JournaledRequest): Promise<SendOutcome> {
    const deadlineMs = this.options.tradeTimeoutMs;
    const outcome = await (this.connection?.call('orderSend', [intentId, request, deadlineMs], {
      deadlineMs,
      lane: 'send',
      onLate: (late) => this.takeLateAnswer(intentId, late),
    }) ?? linkDown());
    return sendOutcome(outcome);
  }

  orderCalcMargin(type: number, symbol: string, volume: number, price: number): Promise<number | null> {
    return this.read('orderCalcMargin', [type, symbol, volume, price], shape.nullable(shape.numberAnswer));
  }

  orderCalcProfit(
    type: number,
    symbol: string,
    volume: number,
    priceOpen: number,
    priceClose: number,
  ): Promise<number | null> {
    const params = [type, symbol, volume, priceOpen, priceClose];
    return this.read('orderCalcProfit', params, shape.nullable(shape.numberAnswer));
  }

  lastError(): Promise<LastError> {
    return this.read('lastError', [], shape.lastError);
  }

  /** Closes the link; the terminal at the other end is unaffected. */
  close(): void {
    const { connection } = this;
    this.connection = null;
    connection?.close('closed');
  }

  /** Disconnects from the terminal and closes the link. */
  async shutdown(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    await this.call('shutdown', [], this.options.callTimeoutMs);
    this.connection = null;
    connection.close('shut down');
  }

  onLink(listener: (event: LinkEvent) => void): Unsubscribe {
    this.linkListeners.add(listener);
    return () => void this.linkListeners.delete(listener);
  }

  onLateAnswer(listener: (intentId: string, outcome: LateOutcome) => void): Unsubscribe {
    this.lateListeners.add(listener);
    return () => void this.lateListeners.delete(listener);
  }

  /** Subscribes to the quotes that the peer pushes; some peers push none. */
  onTick(listener: (pushed: PushedTick) => void): Unsubscribe {
    this.tickListeners.add(listener);
    return () => void this.tickListeners.delete(listener);
  }

  /**
   * Calls a method outside the port: a simulator served over the link has `sim.*` (see its README).
   * @throws TerminalUnavailableError
   */
  callExtension(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.read(method, params, (value) => value);
  }

  private get loginTimeoutMs(): number {
    return this.options.loginTimeoutMs ?? defaultLoginTimeoutMs;
  }

  private async read<T>(
    method: string,
    params: unknown,
    parse: (value: unknown) => T,
    deadlineMs = this.options.callTimeoutMs,
  ): Promise<T> {
    return resultOf(await this.call(method, params, deadlineMs), parse);
  }

  private call(method: string, params: unknown, deadlineMs: number): Promise<CallOutcome> {
    return this.connection?.call(method, params, { deadlineMs, lane: 'read' }) ?? Promise.resolve(linkDown());
  }

  /**
   * Opens the link if it is down, and sends the greeting; the terminal at the other end is unaffected.
   * @throws TerminalUnavailableError
   */
  open(): Promise<void> {
    if (this.connection?.isOpen) return Promise.resolve();
    return (this.opening ??= this.dial().finally(() => (this.opening = null)));
  }

  private async dial(): Promise<void> {
    const opened = await LinkConnection.open(
      this.target,
      this.options.callTimeoutMs,
      this.clock,
      (notification) => this.takeNotification(notification),
      (connection, lastError) => {
        if (this.connection !== connection) return;
        this.connection = null;
        this.tell({ state: 'down', reason: lastError.message, lastError });
      },
    );
    if (!(opened instanceof LinkConnection)) throw new TerminalUnavailableError('disconnected', opened);
    if (!opened.isOpen) throw new TerminalUnavailableError('disconnected', linkDown().lastError);
    this.connection = opened;
    this.tell({ state: 'up' });
  }

  private takeNotification({ method, params }: LinkNotification): void {
    if (!isObject(params)) return;
    if (method === 'connection' && params['state'] === 'down') {
      const reason = typeof params['reason'] === 'string' ? params['reason'] : 'the terminal is gone';
      const lastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: reason };
      this.tell({ state: 'down', reason, lastError });
    } else if (method === 'tick' && typeof params['symbol'] === 'string' && shape.isTick(params['tick'])) {
      for (const listener of this.tickListeners) listener({ symbol: params['symbol'], tick: params['tick'] });
    }
  }

  private takeLateAnswer(intentId: string, late: CallOutcome): void {
    const outcome = sendOutcome(late);
    if (outcome.kind === 'unknown') return;
    for (const listener of this.lateListeners) listener(intentId, outcome);
  }

  private tell(event: LinkEvent): void {
    for (const listener of this.linkListeners) listener(event);
  }
}

function linkDown(): Extract<CallOutcome, { kind: 'not-sent' }> {
  const lastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'the link is down' };
  return { kind: 'not-sent', failure: 'disconnected', lastError };
}

function parseAddress(address: string): { host: string; port: number } {
  const cut = address.lastIndexOf(':');
  const host = address.slice(0, cut).replace(/^\[|\]$/g, '');
  const port = Number(address.slice(cut + 1));
  if (cut < 1 || !Number.isInteger(port) || port < 1 || port > 65_535) throw new TypeError('an address is host:port');
  return { host, port };
}
