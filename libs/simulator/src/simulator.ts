import type { Clock, Timer } from '@libs/clock';
import { DealEntry, DealType, type TerminalClient, TradeReason } from '@libs/terminal-client';
import { type Feed, openFeed } from './market/listings';
import { Market } from './market/market';
import { Pace } from './market/pace';
import { Broker } from './session/broker';
import type { Faults } from './session/fault';
import { DirectTerminal } from './session/direct-terminal';
import { SimulatorClient } from './session/simulator-client';
import { Terminal } from './session/terminal';
import type { TradingTerms } from './symbols/trading-terms';
import type { FeedOptions, SimulatorOptions } from './simulator-options';
import { StateFile } from './state/state-file';
import { type AccountIdentity, StateFileError } from './state/state-lines';
import { ServerClock } from './time/server-clock';
import { Book } from './trading/book';
import type { HistoryDisk, HistoryMemory } from './trading/history-disk';

/** What the terminal's port waits for an answer to a send, unless a session asks for another time. */
const TRADE_TIMEOUT_MS = 20_000;
/** How far one turn of a feed without a pace moves, in market milliseconds. */
const FREE_RUN_MS = 6 * 3_600_000;

/** Where the feed stands. */
export interface FeedStatus {
  readonly kind: FeedOptions['kind'];
  /** Present instant of the market, in UTC milliseconds. */
  readonly positionMs: number;
  /** The same on the broker server's clock, in milliseconds. */
  readonly serverMs: number;
  /** Instant of the last price, in UTC milliseconds; null for a feed that does not end. */
  readonly endMs: number | null;
  /** A replay has run out of prices: quotes stand still from here on. */
  readonly ended: boolean;
}

interface Running {
  readonly broker: Broker;
  readonly pace: Pace;
  readonly state: StateFile | null;
  timer: Timer | null;
}

/**
 * A broker in a box: market, trade server, account and terminal, behind the same port as a real terminal. Market time
 * follows the injected clock and is brought up to date by every call, so a run depends on nothing but options, clock
 * and requests.
 */
export class Simulator {
  readonly terminal: Terminal;
  private running: Running | null = null;

  /** @param disk takes the history beyond `historyRows` of the options; null: the history stays in memory */
  constructor(
    readonly options: SimulatorOptions,
    private readonly clock: Clock,
    private readonly disk: HistoryDisk | null = null,
  ) {
    const host = {
      brokerNow: () => this.brokerNow(),
      untilMs: (marketMs: number) => this.running?.pace.untilMs(marketMs) ?? null,
      save: () => this.save(),
      canSave: () => this.running?.state?.isBroken !== true,
    };
    this.terminal = new Terminal(options.account, host, options.habits ?? null);
  }

  /** What goes wrong; for tests and for the link's own methods. */
  get faults(): Faults {
    return this.terminal.faults;
  }

  /**
   * Opens the feed and the account.
   * @throws RecordingError for price files that cannot be replayed
   * @throws StateFileError for a state file that cannot be gone on from
   */
  async start(): Promise<void> {
    if (this.running) return;
    const { options, clock } = this;
    const serverClock = new ServerClock(options.serverTimeZone);
    const feed = openFeed(options, serverClock, clock.nowMs());
    const book = new Book(options.feed.kind === 'generated' ? options.feed.seed : 1, this.historyMemory());
    const state = options.stateFile === undefined ? null : new StateFile(options.stateFile);
    const saved = state?.load(book, identityOf(options)) ?? null;
    // The market goes on from where it was left: what the time between did to positions and orders still happens.
    const market = new Market(feed.listings, serverClock, saved?.marketMs ?? feed.startMs);
    const broker = new Broker(market, book, options.account);
    if (saved) broker.server.afterTrades();
    else openAccount(broker);
    state?.begin(book, market.nowMs, identityOf(options));
    this.running = { broker, pace: this.paceOf(feed, market.nowMs), state, timer: null };
    this.schedulePump(this.running);
    this.terminal.beginHabits();
  }

  /** Ends all sessions and the market. */
  async stop(): Promise<void> {
    this.terminal.dropSessions('the simulator was stopped');
    if (this.running) {
      const { broker, timer, state } = this.running;
      timer?.cancel();
      this.saveQuietly();
      state?.close();
      broker.book.close();
    }
    this.running = null;
  }

  /** A new session with the terminal; it is attached by its own `connect`. */
  connect(options: { readonly tradeTimeoutMs?: number } = {}): TerminalClient {
    return new SimulatorClient(this.terminal, this.clock, options.tradeTimeoutMs ?? TRADE_TIMEOUT_MS);
  }

  /** The terminal as synchronous calls, for code in this process that moves the market by itself. @throws Error before the start */
  direct(): DirectTerminal {
    this.loginByHand();
    return new DirectTerminal(this.terminal, this.terminal.brokerNow());
  }

  /** Logs the account in, as a login by hand in the terminal's window does. */
  loginByHand(): void {
    this.terminal.loginByHand();
  }

  /** Presses the terminal's button for trading by programs: off, every send answers 10027. */
  setAlgoTrading(enabled: boolean): void {
    this.terminal.algoTrading = enabled;
  }

  /** The broker changes the terms of a symbol, until the simulator stops. @throws RangeError when there is no such symbol */
  setSymbol(name: string, terms: Partial<TradingTerms>): void {
    this.terminal.brokerNow().market.changeTerms(name, terms);
  }

  /**
   * Moves the market forward at once, on top of its speed.
   * @throws RangeError for a market that shows the wall clock; Error before the start
   */
  advance(ms: number): void {
    if (!this.running) throw new Error('the simulator is not running');
    this.running.pace.advance(ms);
    this.brokerNow();
  }

  /** The account is at or below its margin-call level. @throws Error before the start */
  get marginCalled(): boolean {
    return this.terminal.brokerNow().server.marginCalled;
  }

  /** Present instant of the market, in UTC milliseconds. @throws Error before the start */
  get marketMs(): number {
    return this.terminal.brokerNow().market.nowMs;
  }

  /** Where the feed stands now. @throws Error before the start */
  feedStatus(): FeedStatus {
    const broker = this.terminal.brokerNow();
    const endMs = this.running?.pace.endMs ?? Number.POSITIVE_INFINITY;
    return {
      kind: this.options.feed.kind,
      positionMs: broker.market.nowMs,
      serverMs: broker.market.serverMs,
      endMs: Number.isFinite(endMs) ? endMs : null,
      ended: broker.market.nowMs >= endMs,
    };
  }

  /** The broker server's wall clock against UTC, each instant by its own offset. @throws Error before the start */
  get serverClock(): Pick<ServerClock, 'utcMs' | 'serverMs'> {
    return this.terminal.brokerNow().market.clock;
  }

  /** Moves the market on to an instant (UTC milliseconds) whatever the clock says: for feeds without a pace. */
  advanceTo(utcMs: number): void {
    if (!this.running) throw new Error('the simulator is not running');
    const { broker, pace } = this.running;
    broker.market.advanceTo(Math.min(utcMs, pace.endMs), broker.server);
    this.save();
  }

  private brokerNow(): Broker | null {
    if (!this.running) return null;
    const { broker, pace } = this.running;
    broker.market.advanceTo(pace.nowMs(), broker.server);
    this.announce(broker);
    return broker;
  }

  private announce({ book }: Broker): void {
    const change = book.takeTouched();
    if (change) this.terminal.announce(change);
  }

  /** Keeps the market from falling far behind while there are no calls. */
  private schedulePump(running: Running): void {
    const { pumpMs, speed } = this.options;
    if (pumpMs === 0) return;
    running.timer = this.clock.setTimer(speed === 0 ? 0 : pumpMs, () => {
      const { market } = running.broker;
      if (speed === 0) this.advanceTo(market.nowMs + FREE_RUN_MS);
      else this.brokerNow();
      this.saveQuietly();
      const hasEnded = market.nowMs >= running.pace.endMs;
      if (this.running === running && !hasEnded) this.schedulePump(running);
    });
  }

  private save(): void {
    if (!this.running) return;
    const { broker, state } = this.running;
    if (state) state.append(broker.book, broker.market.nowMs);
    else broker.book.takeChange();
    this.announce(broker);
  }

  /** As {@link save}, without a caller that waits: the next send reports a file that cannot be written. */
  private saveQuietly(): void {
    try {
      this.save();
    } catch (error) {
      if (!(error instanceof StateFileError)) throw error;
    }
  }

  private historyMemory(): HistoryMemory | null {
    const { historyRows } = this.options;
    return this.disk && historyRows !== undefined ? { rows: historyRows, disk: this.disk } : null;
  }

  private paceOf(feed: Feed, marketMs: number): Pace {
    const { speed, feed: kind } = this.options;
    const isReplay = kind.kind === 'replay';
    const startMs = isReplay ? marketMs : Math.max(marketMs, feed.startMs);
    const followsWallClock = !isReplay && speed === 1 && marketMs <= this.clock.nowMs();
    return new Pace(this.clock, startMs, speed, feed.endMs, followsWallClock);
  }
}

function identityOf({ account, feed }: SimulatorOptions): AccountIdentity {
  const { login, currency, marginMode } = account;
  const replayed = feed.kind === 'replay' ? new Set(feed.files.map(({ symbol }) => symbol)) : [];
  return { login, currency, marginMode, feed: [feed.kind, ...replayed].join(' ') };
}

/** The opening deposit, as a balance deal like any other. */
function openAccount({ book, market, account }: Broker): void {
  if (account.balance === 0) return;
  book.addDeal({
    ticket: book.dealTickets.next(),
    order: 0,
    time: Math.floor(market.serverMs / 1_000),
    time_msc: market.serverMs,
    type: DealType.BALANCE,
    entry: DealEntry.IN,
    magic: 0,
    position_id: 0,
    reason: TradeReason.CLIENT,
    volume: 0,
    price: 0,
    commission: 0,
    swap: 0,
    profit: account.balance,
    fee: 0,
    symbol: '',
    comment: 'Initial deposit',
    external_id: '',
  });
}
