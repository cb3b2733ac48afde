import {
  GatewayClient,
  GatewayReadError,
  type AccountRecord,
  type DaemonStrategies,
  type DealRecord,
  type HealthReport,
  type OrderRecord,
  type PositionRecord,
  type ReadinessReport,
  type RecentRequests,
  type Reconciliation,
  type SetAsideNotification,
  type SignalRecord,
  type StrategyLog,
  type StrategyResults,
} from '@libs/gateway-client';
import { signal, type Signal } from '@preact/signals';
import { AuditCheck } from './audit-check';
import { curveSpans, readCurve, type Curve, type CurveSpan } from './curve';
import type { EquityPoint } from './equity-line';
import { Feed } from './feed';
import { readMarket, timeframes, type MarketView } from './market-view';
import { readMoney, type MoneyView } from './money-view';
import { readRequestHistory, type RequestHistory } from './request-history';
import { SymbolDigits } from './symbol-digits';
import { TradeLog } from './trade-log';
import { settleUnknownWrites } from './trade-writes';

const oftenMs = 2_000;
/** Reads that cost the terminal or the disk more. */
const seldomMs = 5_000;
/** The gateway records a reading each minute. */
const curvePauseMs = 30_000;
/** Events within this time are followed by one read. */
const eventPauseMs = 200;
/** Rows of the list of requests. */
const listedRequests = 100;
/** How far back the deals of a strategy are shown. */
const dealsMs = 30 * 86_400_000;
/** Readings of the equity that are kept: some six hours. */
const keptReadings = 10_000;
/** Readings further apart have an outage between them, which is a gap in the line. */
const gapMs = 10_000;

/** Address of the gateway: that of the page, also behind a proxy that serves it under a path. */
const baseUrl = new URL('.', location.href).href;

interface MarketChoice {
  readonly symbol: string;
  readonly timeframe: string;
  readonly feed: Feed<MarketView>;
}

interface ShownRequests {
  /** What their keys contain; empty for all. */
  readonly part: string;
  readonly onlyUndone: boolean;
  readonly feed: Feed<RecentRequests>;
}

interface ShownStrategy {
  readonly name: string;
  readonly log: Feed<StrategyLog>;
  /** The deals under its magic, of the last 30 days; null for a portfolio, which has none. */
  readonly deals: Feed<readonly DealRecord[]> | null;
  /** What it earned over the time that is shown, and the backtest of it. */
  readonly results: Signal<{ readonly span: CurveSpan; readonly feed: Feed<StrategyResults> }>;
}

/**
 * What one key shows: a feed for each route, all of the account that was logged in when the key was entered. The client
 * states that account with every request, so that neither a figure nor a write of another account can appear here.
 */
export class Desk {
  readonly client: GatewayClient;
  /** The account of this page; null until one is logged in. */
  readonly login = signal<number | null>(null);
  readonly health: Feed<HealthReport>;
  readonly readiness: Feed<ReadinessReport>;
  readonly account: Feed<AccountRecord>;
  readonly positions: Feed<readonly PositionRecord[]>;
  readonly orders: Feed<readonly OrderRecord[]>;
  readonly books: Feed<Reconciliation>;
  /** The request whose history is shown; null for none. */
  readonly request = signal<{ readonly key: string; readonly feed: Feed<RequestHistory> } | null>(null);
  /** The newest requests of any client; null while they are not shown. */
  readonly recent = signal<ShownRequests | null>(null);
  readonly money: Feed<MoneyView>;
  readonly strategies: Feed<DaemonStrategies>;
  /** The strategy that is shown alone; null for none. */
  readonly strategy = signal<ShownStrategy | null>(null);
  readonly notifications: Feed<readonly SetAsideNotification[]>;
  readonly signals: Feed<readonly SignalRecord[]>;
  /** Balance and equity as the gateway recorded them, over the time that is shown. */
  readonly curve = signal<{ readonly span: CurveSpan; readonly feed: Feed<Curve> } | null>(null);
  /** Every reading of the equity since the page was opened, by the clock of this machine, oldest first. */
  readonly equity = signal<readonly EquityPoint[]>([]);
  /** The symbol whose prices are shown; null until one is chosen. */
  readonly market = signal<MarketChoice | null>(null);
  /** Names of the broker's symbols, for the choice of one; the terminal is asked until it has some. */
  readonly symbols: Feed<readonly string[]>;
  readonly audit: AuditCheck;
  readonly log: TradeLog;
  readonly digits: SymbolDigits;
  private eventTimer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private readonly feeds: readonly Feed<unknown>[];

  /** @param onRefusedKey called when the gateway does not accept the key any more */
  constructor(
    apiKey: string,
    private readonly onRefusedKey: () => void,
  ) {
    this.client = new GatewayClient({
      baseUrl,
      apiKey,
      expectedLogin: () => this.login.peek(),
      readTimeoutMs: 4_000,
      // The next read follows soon, and an outage is to be seen at once.
      readAttempts: 1,
    });
    this.digits = new SymbolDigits(this.client);
    const { reads } = this.client;
    this.health = this.feed(() => this.readHealth());
    this.readiness = this.feed(() => reads.healthReady());
    this.account = this.feed(() => this.readAccount());
    this.positions = this.feed(() => reads.positions());
    this.orders = this.feed(() => reads.orders());
    this.books = this.feed(() => reads.reconcile(), seldomMs);
    this.money = this.feed(() => readMoney(this.client), seldomMs);
    this.strategies = this.feed(() => reads.daemonStrategies(), seldomMs);
    this.notifications = this.feed(() => reads.setAsideNotifications(), seldomMs);
    this.signals = this.feed(() => reads.signals({ limit: 50 }), seldomMs);
    const unknownWrites = this.feed(() => settleUnknownWrites(this));
    this.symbols = this.feed(() => this.readSymbols(), seldomMs);
    this.feeds = [
      ...[this.health, this.readiness, this.account, this.positions, this.orders],
      ...[this.books, this.money, this.strategies, this.notifications, this.signals, unknownWrites],
    ];
    this.audit = new AuditCheck({
      read: () => reads.auditVerification(),
      onFailure: (error) => this.noteFailure(error),
    });
    this.log = new TradeLog(
      this.client,
      () => this.refreshSoon(),
      (error) => this.noteFailure(error),
    );
  }

  /** @throws GatewayReadError if the gateway does not answer, or not to this key */
  async open(): Promise<void> {
    await this.readHealth();
    this.refresh();
    void this.log.follow();
    void this.symbols.refresh();
    this.showCurve(curveSpans[0]);
  }

  /** Decimals of the account currency; undefined until the account was read. */
  get moneyDigits(): number | undefined {
    return this.account.reading.value.value?.currency_digits;
  }

  /** Shows the history of a request, and keeps it up to date. */
  showRequest(key: string): void {
    this.request.value?.feed.stop();
    const feed = this.feed(() => readRequestHistory(this.client, key), seldomMs);
    this.request.value = { key, feed };
    void feed.refresh();
  }

  /** Shows the newest requests whose keys contain a text. */
  showRecent(part: string): void {
    const onlyUndone = this.recent.peek()?.onlyUndone ?? false;
    this.hideRecent();
    const query = { limit: listedRequests, ...(part === '' ? {} : { key: part }) };
    const feed = this.feed(() => this.client.reads.tradeRequests(query), seldomMs);
    this.recent.value = { part, onlyUndone, feed };
    void feed.refresh();
  }

  hideRecent(): void {
    this.recent.peek()?.feed.stop();
    this.recent.value = null;
  }

  /** Shows one strategy of the daemon; null shows all. */
  showStrategy(name: string | null, magic: number | null = null): void {
    const { value: before } = this.strategy;
    before?.log.stop();
    before?.deals?.stop();
    before?.results.value.feed.stop();
    if (name === null) {
      this.strategy.value = null;
      return;
    }
    const log = this.feed(() => this.client.reads.strategyLog(name), seldomMs);
    const deals = magic === null ? null : this.feed(() => readDeals(this.client, magic), seldomMs);
    this.strategy.value = { name, log, deals, results: signal(this.resultsOf(name, curveSpans[0])) };
    void log.refresh();
    void deals?.refresh();
  }

  /** Shows what the strategy that is shown earned over another time. */
  showResults(span: CurveSpan): void {
    const { value: shown } = this.strategy;
    if (shown === null) return;
    shown.results.value.feed.stop();
    shown.results.value = this.resultsOf(shown.name, span);
  }

  /** Shows balance and equity over another time. */
  showCurve(span: CurveSpan): void {
    this.curve.value?.feed.stop();
    const feed = this.feed(() => readCurve(this.client, span), curvePauseMs);
    this.curve.value = { span, feed };
    void feed.refresh();
  }

  /** Shows the prices of a symbol. */
  showMarket(symbol: string, timeframe: string): void {
    this.market.value?.feed.stop();
    const feed = this.feed(() => readMarket(this.client, symbol, timeframe), seldomMs);
    this.market.value = { symbol, timeframe, feed };
    void feed.refresh();
  }

  /** Reads everything now: after a write, an event, or a broken connection. */
  refresh(): void {
    for (const feed of this.feeds) void feed.refresh();
    void this.request.value?.feed.refresh();
    void this.market.value?.feed.refresh();
    void this.recent.value?.feed.refresh();
  }

  close(): void {
    this.isClosed = true;
    this.symbols.stop();
    clearTimeout(this.eventTimer);
    for (const feed of this.feeds) feed.stop();
    this.request.value?.feed.stop();
    this.market.value?.feed.stop();
    this.curve.value?.feed.stop();
    this.hideRecent();
    this.showStrategy(null);
    this.log.stop();
  }

  private resultsOf(name: string, span: CurveSpan): ShownStrategy['results']['value'] {
    const feed = this.feed(() => this.client.reads.strategyResults(name, span.days), curvePauseMs);
    void feed.refresh();
    return { span, feed };
  }

  private feed<T>(read: () => Promise<T>, everyMs = oftenMs): Feed<T> {
    const onFailure = (error: unknown): void => this.noteFailure(error);
    const isStated = (error: unknown): boolean => this.states(error);
    return new Feed({ read, everyMs, onFailure, isStated });
  }

  /** Whether the header already says why a read failed: no answer, no session with the terminal, or an account that is not explained. */
  private states(error: unknown): boolean {
    if (this.health.standing !== 'current') return true;
    const isDown = (check: string): boolean => this.readiness.current?.checks[check]?.status === 'down';
    return (isDown('terminal') || isDown('account')) && error instanceof GatewayReadError && error.status === 503;
  }

  /** After an event. Many events at once cause one read. */
  private refreshSoon(): void {
    clearTimeout(this.eventTimer);
    this.eventTimer = setTimeout(() => this.refresh(), eventPauseMs);
  }

  private async readHealth(): Promise<HealthReport> {
    const health = await this.client.reads.health();
    if (this.login.peek() === null && health.account !== null) this.login.value = health.account;
    return health;
  }

  private async readAccount(): Promise<AccountRecord> {
    const account = await this.client.reads.account();
    const atMs = Date.now();
    const lastMs = this.equity.peek().at(-1)?.[0] ?? atMs;
    const gap: EquityPoint[] = atMs - lastMs > gapMs ? [[lastMs + 1, null]] : [];
    this.equity.value = [...this.equity.peek(), ...gap, [atMs, account.equity] as const].slice(-keptReadings);
    return account;
  }

  /** Also shows the symbol of the first position, or of a strategy, or else the first one of the broker that its terminal shows. */
  private async readSymbols(): Promise<readonly string[]> {
    const { reads } = this.client;
    const { value: known } = this.symbols.reading.peek();
    if (known !== null && known.length > 0) return known;
    const symbols = await reads.symbols();
    const held = await reads.positions().catch(() => []);
    const traded = tradedSymbols(this.strategies.reading.peek().value?.strategies ?? []);
    const wanted = held[0]?.symbol ?? traded.find((name) => symbols.some((one) => one.name === name));
    const symbol = wanted ?? (symbols.find(({ visible }) => visible) ?? symbols[0])?.name;
    const isWanted = this.market.peek() === null && !this.isClosed;
    if (symbol !== undefined && isWanted) this.showMarket(symbol, timeframes[0]);
    return symbols.map(({ name }) => name);
  }

  private noteFailure(error: unknown): void {
    if (error instanceof GatewayReadError && error.status === 401) this.onRefusedKey();
  }
}

/** @throws GatewayReadError if they cannot be read */
function readDeals({ reads }: GatewayClient, magic: number): Promise<DealRecord[]> {
  return reads.historyDealsRange({ magic, from_date: new Date(Date.now() - dealsMs) });
}

/** The symbols of the streams of strategies, such as `demo:EURUSD@M1`. */
function tradedSymbols(rows: NonNullable<DaemonStrategies['strategies']>): readonly string[] {
  return rows.flatMap(({ streams }) =>
    Object.values({ ...(typeof streams === 'object' ? streams : {}) }).flatMap((stream: unknown) => {
      const [, symbol] = /^[^:]+:(.+)@[^@]+$/.exec(typeof stream === 'string' ? stream : '') ?? [];
      return symbol === undefined ? [] : [symbol];
    }),
  );
}
