import { GatewayReadError } from '@libs/gateway-client';
import type { StrategySpec } from '../core/strategy-spec';
import type { StrategyLog } from '../logs/strategy-log';
import type { StrategyBook } from '../core/strategy-book';
import type { TradingEvent } from '../live/trading-events';
import { EventHandler } from './event-handler';
import { EventPump, type ItemHandler, type LiveItem } from './event-pump';
import { LiveStrategy } from './live-strategy';
import { MarketClock, StrategyMarket } from '../live/strategy-market';
import { AccountUnreadError } from './not-yet-error';
import { Restarts } from './restarts';
import type { Services } from './services';
import type { StrategyAccount } from '../live/strategy-account';
import type { Bundle } from './strategy-bundler';
import { Lifecycle, type StrategyState } from './strategy-state';
import { StrategyText } from './bundle-cache';
import { StrategyTrading } from '../live/strategy-trading';
import { TradedAccounts } from './traded-accounts';
import type { StrategyEvent } from '../core/strategy-event';

/** Wait before another attempt to start while its account cannot be read, in milliseconds. */
const accountWaitMs = 2_000;

/** One deployed strategy: its thread, its events in order, its orders, its money. */
export class StrategyRunner implements ItemHandler {
  readonly lifecycle = new Lifecycle();
  readonly trading: StrategyTrading;
  readonly accounts: TradedAccounts;
  readonly log: StrategyLog;
  private readonly clock: MarketClock;
  /** The version its file states; null before it is loaded. */
  version: number | null = null;
  /** Its own port on loopback; null while it has none. */
  port: number | null = null;
  /** The running version; null if none runs. */
  live: LiveStrategy | null = null;
  /** A version that warms up at its start. */
  private arriving: LiveStrategy | null = null;
  readonly text: StrategyText;
  readonly pump = new EventPump(this);
  private starting: Promise<void> | null = null;
  private isLeaving = false;
  private hasBegun = false;
  readonly restarts: Restarts;
  private readonly events: EventHandler;
  /** When it was deployed, in milliseconds since the epoch. */
  readonly deployedAtMs: number;

  constructor(
    spec: StrategySpec,
    readonly services: Services,
  ) {
    const { clock } = services;
    this.deployedAtMs = clock.nowMs();
    this.log = services.logs.of(spec.name);
    this.text = new StrategyText(services.bundles);
    this.restarts = new Restarts(clock, () => void this.start());
    // The system clock does not apply to a replayed market or a weekend.
    this.clock = new MarketClock(StrategyMarket.idle(spec.streams, services));
    this.events = new EventHandler(this.clock, this.log, services.latency, services.logs.barsOf(spec.name));
    this.trading = new StrategyTrading(spec, services, this.clock, this.log);
    this.accounts = new TradedAccounts(this.trading, services);
    this.trading.events.listen((event) => this.onTrading(event));
  }

  /** Market data of the version that runs, or of the one that ran last. */
  get market(): StrategyMarket {
    return this.clock.market;
  }

  get spec(): StrategySpec {
    return this.book.spec;
  }

  get book(): StrategyBook {
    return this.trading.book;
  }

  get account(): StrategyAccount {
    return this.trading.account;
  }

  get queue(): EventPump['queue'] {
    return this.pump.queue;
  }

  get isOpen(): boolean {
    return this.lifecycle.state === 'running' && this.live !== null && !this.isLeaving;
  }

  get isOver(): boolean {
    return this.lifecycle.state === 'stopped';
  }

  get state(): StrategyState {
    return this.lifecycle.state === 'running' && this.book.record.halt !== null ? 'halted' : this.lifecycle.state;
  }

  private get isEnding(): boolean {
    return this.services.shutdown.isStopping || this.isLeaving;
  }

  /** Number of handler calls that threw. */
  get errors(): number {
    return this.events.errors;
  }

  /** Number of bars that it received late. */
  get lateBars(): number {
    return this.events.lateBars;
  }

  /** Current problem of the strategy; null if there is none. */
  get problem(): string | null {
    return this.lifecycle.problem ?? this.trading.desk.problem ?? this.market.lostPrices;
  }

  /** Market time: of the last event, or of the newest quote of its streams; 0 before there is any. */
  get marketMs(): number {
    return this.clock.nowMs;
  }

  /** Deploys the strategy; tries again with growing waits until it runs or is stopped. */
  start(): Promise<void> {
    this.restarts.cancel();
    // Stopped before its start, as in a shutdown: it must not send requests that are not followed.
    if (this.isLeaving) return Promise.resolve();
    this.hasBegun = true;
    return (this.starting ??= this.tryToStart().finally(() => (this.starting = null)));
  }

  /** Whether it was started, or stopped before that. */
  get isUnderWay(): boolean {
    return this.hasBegun || this.isLeaving;
  }

  /** Resolves when an attempt to start that is under way has succeeded or failed. */
  async settled(): Promise<void> {
    await this.starting;
  }

  /** Starts a failed strategy at once instead of at its next attempt. */
  async restart(): Promise<void> {
    this.restarts.startOver();
    await this.start();
  }

  /**
   * Loads a version of the strategy into the thread of its group, or into one of its own.
   * @throws StrategyRefusedError, ThreadLostError
   */
  load(spec: StrategySpec, bundle: Bundle, group = spec.workerGroup): Promise<LiveStrategy> {
    const seat = this.services.threads.seat(spec.name, group);
    const idPrefix = this.services.keys.nextIntentPrefix();
    const { services, trading, pump } = this;
    return LiveStrategy.load(spec, bundle, { seat, idPrefix }, services, { trading, queue: pump });
  }

  async handle(item: LiveItem): Promise<void> {
    switch (item.type) {
      case 'event':
        if (this.live) await this.events.handle(this.live, this.trading, item);
        return;
      case 'layer':
        return this.trading.enterLayer(item.layer);
      case 'turn':
        return item.turn.run();
    }
  }

  async failed(error: unknown): Promise<void> {
    // The loss of a thread is reported twice: by its exit, and by the unanswered call.
    if (this.live) await this.fail(error);
  }

  /** Writes the state that a version has migrated. */
  async keepMigrated({ state }: LiveStrategy): Promise<void> {
    const { kept } = this.trading;
    // Without a stored state the version starts with its declared one, which needs no write until it changes.
    if (state !== null && kept !== null && state.version !== kept.version) await this.trading.keep(state);
  }

  /** Lets a version take over: events go to it from now on. */
  goLive(next: LiveStrategy): void {
    // Until the first event, the market's time is that of the newest warm-up bar.
    if (!this.live && next.newestMs !== null) this.clock.eventMs = next.newestMs;
    this.live = next;
    this.clock.market = next.market;
    this.text.loaded = next.bundle;
    this.version = next.loaded.version;
    this.restarts.runs();
    next.goLive((error) => {
      if (this.live === next) void this.fail(error);
    });
  }

  /** Takes another version while none runs: the next start runs it. */
  async respecIdle(spec: StrategySpec, bundle: Bundle): Promise<void> {
    this.text.loaded = bundle;
    await this.account.respec(spec);
    // This market is read also while no version runs, and a gateway of the previous version may be removed.
    this.clock.market = StrategyMarket.idle(spec.streams, this.services);
  }

  /** Takes no more events, and waits for the handler in progress. A failed strategy is not started again. */
  async pause(): Promise<void> {
    this.isLeaving = true;
    this.restarts.cancel();
    this.arriving?.market.leave();
    await this.starting;
    this.restarts.cancel();
    this.live?.market.leave();
    this.dropEvents();
    await this.pump.idle();
  }

  /** Starts again after a {@link pause}. */
  async resumeAfterPause(problem: string): Promise<void> {
    this.isLeaving = false;
    if (this.lifecycle.state === 'running') this.lifecycle.to('failed', problem);
    await this.endLive();
    await this.start();
  }

  /** Takes no more events, follows requests in flight until the shutdown ends, and ends the thread. */
  async stop(): Promise<void> {
    await this.pause();
    await this.endLive();
    while (this.trading.desk.unknown > 0 && !this.services.shutdown.hasEnded) await this.services.clock.sleep(50);
    this.end();
  }

  /** Removes the strategy; its records stay in the state directory. */
  end(): void {
    if (this.lifecycle.state !== 'stopped') this.lifecycle.to('stopped');
  }

  async endLive(): Promise<void> {
    const { live } = this;
    this.live = null;
    this.restarts.ends();
    await live?.end();
  }

  private async tryToStart(): Promise<void> {
    const { unreadable } = this.trading;
    this.restarts.begins();
    if (unreadable !== null) {
      // A retry would read the same state. The state holds positions and results, so the strategy must not run without
      // it.
      if (this.lifecycle.state === 'starting') this.lifecycle.to('failed', unreadable);
      this.log.error('not started', { problem: unreadable });
      return;
    }
    let live: LiveStrategy | null = null;
    try {
      await this.accounts.verify(this.spec);
      if (this.lifecycle.state === 'failed') this.lifecycle.to('starting');
      // Positions and orders are managed even if the file does not load. Resume in-flight requests first, so that
      // positions they opened are not external.
      await this.trading.takeUp();
      this.accounts.subscribe();
      await this.accounts.read();
      const bundle = await this.text.toLoad(this.spec.module);
      live = await this.services.loads.take(async () => (this.isEnding ? null : this.load(this.spec, bundle)));
      if (live === null) return;
      this.text.loaded = bundle;
      this.arriving = live;
      await live.warmUp();
      if (this.isEnding) return await live.end();
      await this.keepMigrated(live);
      this.lifecycle.to('running');
      this.goLive(live);
      this.log.info('running', { version: this.version });
      this.pump.wake();
    } catch (error) {
      await live?.end();
      // It was stopped while it waited for its turn.
      if (!this.isLeaving) await this.fail(error);
    } finally {
      this.arriving = null;
    }
  }

  /** Passes events of its orders to the strategy, after the events that are queued already. */
  private onTrading(event: TradingEvent): void {
    switch (event.type) {
      case 'filled':
        for (const fill of event.fills) this.take({ type: 'fill', fill });
        return;
      case 'rejected':
        return this.take({ type: 'reject', reject: event.reject });
      case 'gone':
        return this.take({ type: 'gone', gone: event.gone });
      case 'reached':
        return this.pump.add({ type: 'layer', layer: event.layer });
      case 'done':
      case 'halted':
      case 'seen':
        return;
    }
  }

  private dropEvents(): void {
    this.queue.clear();
    this.trading.desk.turnsDropped();
  }

  private take(event: StrategyEvent): void {
    this.pump.add({ type: 'event', event, receivedNanos: null });
  }

  private async fail(error: unknown): Promise<void> {
    if (this.lifecycle.state === 'stopped') return;
    const problem = error instanceof Error ? error.message : String(error);
    if (error instanceof AccountUnreadError && this.lifecycle.state === 'starting') return this.waitFor(problem);
    if (this.lifecycle.state === 'failed') this.lifecycle.problem = problem;
    else this.lifecycle.to('failed', problem);
    const isWaiting = error instanceof AccountUnreadError;
    const isOwn = !(error instanceof GatewayReadError && error.isTransient);
    const retryInMs = isWaiting ? accountWaitMs : this.restarts.failed(problem, isOwn);
    this.log.error('failed', { problem, retryInMs });
    this.dropEvents();
    if (!this.services.shutdown.isStopping && !this.isLeaving) this.restarts.tryAfter(retryInMs);
    await this.endLive();
  }

  /** Starts when its account can be read. Logs why once, although the amounts in the reason change. */
  private async waitFor(account: string): Promise<void> {
    const problem = `waits for its account: ${account}`;
    if (withoutAmounts(this.lifecycle.problem) !== withoutAmounts(problem)) this.log.warning('waits', { problem });
    this.lifecycle.problem = problem;
    this.dropEvents();
    if (!this.isEnding) this.restarts.tryAfter(accountWaitMs);
    await this.endLive();
  }
}

function withoutAmounts(text: string | null): string | undefined {
  return text?.replaceAll(/[\d.]+/gu, '');
}
