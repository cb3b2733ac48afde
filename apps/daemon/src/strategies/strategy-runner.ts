import type { Timer } from '@libs/clock';
import type { Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import type { StrategyBook } from '../trading/strategy-book';
import { accountUnfitness } from './account-fitness';
import { EventQueue, type Queued, type QueuedEvent, type QueuedWork } from './event-queue';
import type { Services } from './services';
import type { StrategyAccount } from './strategy-account';
import { bundleStrategy } from './strategy-bundler';
import { StrategyMarket, tooFewBars } from './strategy-market';
import { Lifecycle, type StrategyState } from './strategy-state';
import { StrategyThread } from './strategy-thread';
import { StrategyTrading } from './strategy-trading';
import type { Loaded, StrategyEvent } from './worker/messages';

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** Handlers that may throw in a row before the strategy is halted. */
const mostErrors = 5;

/** One deployed strategy: its thread, its events in order, its orders, its money. */
export class StrategyRunner {
  readonly lifecycle = new Lifecycle();
  readonly queue = new EventQueue();
  readonly trading: StrategyTrading;
  readonly log: StrategyLog;
  readonly market: StrategyMarket;
  /** The version its file states; null before it is loaded. */
  version: number | null = null;
  errors = 0;
  /** Its own port on loopback; null while it has none. */
  port: number | null = null;
  private thread: StrategyThread | null = null;
  private pumping: Promise<void> | null = null;
  private retry: Timer | null = null;
  private retryMs = firstRetryMs;
  private errorsInARow = 0;
  private generation = 0;
  private lastEventMs: number;
  readonly startedAtMs: number;
  private readonly startedMs: number;

  constructor(
    readonly spec: StrategySpec,
    private readonly services: Services,
  ) {
    const { clock } = services;
    this.startedAtMs = clock.nowMs();
    this.startedMs = clock.monotonicMs();
    this.lastEventMs = clock.nowMs();
    this.log = services.logs.of(spec.name);
    this.market = new StrategyMarket(
      spec.streams,
      (name) => services.gateway(name),
      (queued) => this.enqueue(queued),
      (alias, quote) => this.trading.stacks.onQuote(alias, quote),
    );
    const around = {
      market: this.market,
      marketMs: () => this.lastEventMs,
      enqueue: (event: StrategyEvent) => this.enqueue({ event, receivedNanos: null }),
      inTurn: (work: QueuedWork) => this.enqueue(work),
    };
    this.trading = new StrategyTrading(spec, services, around, this.log);
  }

  get book(): StrategyBook {
    return this.trading.book;
  }

  get account(): StrategyAccount {
    return this.trading.account;
  }

  get state(): StrategyState {
    return this.lifecycle.state === 'running' && this.book.record.halt !== null ? 'halted' : this.lifecycle.state;
  }

  get uptimeMs(): number {
    return Math.round(this.services.clock.monotonicMs() - this.startedMs);
  }

  /** Market time of the last event. */
  get marketMs(): number {
    return this.lastEventMs;
  }

  /** True while the last looks at its accounts succeeded. */
  get isAccountCurrent(): boolean {
    return this.brokers.every((broker) => this.services.gateway(broker).sync.current);
  }

  get brokers(): readonly string[] {
    return [...new Set(this.spec.streams.map(({ broker }) => broker))];
  }

  /** Deploys the strategy; tries again with growing waits until it runs or is stopped. */
  async start(): Promise<void> {
    const { unreadable } = this.trading;
    if (unreadable !== null) {
      // Trying again would read the same; what it owns and earned is in there, so it must not run without.
      if (this.lifecycle.state === 'starting') this.lifecycle.to('failed', unreadable);
      this.log.error('not started', { problem: unreadable });
      return;
    }
    try {
      for (const broker of this.brokers) await this.services.gateway(broker).session.verify();
      const unfit = accountUnfitness(
        this.spec,
        this.services.specs(),
        (broker) => this.services.gateway(broker).session.account,
      );
      if (unfit !== null) throw new Error(unfit);
      if (this.lifecycle.state === 'failed') this.lifecycle.to('starting');
      await this.load();
      if (this.services.isStopping()) return;
      this.lifecycle.to('running');
      this.retryMs = firstRetryMs;
      this.log.info('running', { version: this.version });
      this.pump();
    } catch (error) {
      await this.fail(error);
    }
  }

  /** Takes no more events, ends the handling in progress and the thread. */
  async stop(): Promise<void> {
    this.retry?.cancel();
    this.market.leave();
    this.queue.clear();
    await this.pumping;
    await this.thread?.end();
    if (this.lifecycle.state !== 'stopped') this.lifecycle.to('stopped');
  }

  private async load(): Promise<void> {
    const { services, spec } = this;
    const bundle = await bundleStrategy(spec.module);
    const limits = { watchdogMs: services.watchdogMs, maxHeapMb: services.maxHeapMb };
    const thread = new StrategyThread(services.workerEntry, limits, services.clock);
    this.thread = thread;
    const loaded = await thread.load({
      name: spec.name,
      ...bundle,
      params: spec.params,
      streams: spec.streams,
      idPrefix: `${services.keys.session}-${++this.generation}.`,
    });
    this.version = loaded.version;
    // Before the first look: what a request on its way has opened is no stranger.
    await this.trading.takeUp();
    for (const broker of this.brokers) {
      const { sync } = services.gateway(broker);
      sync.add(this.account);
      await sync.now();
      if (!sync.current) throw new Error(`the account of ${broker} could not be read`);
    }
    for (const stream of spec.streams) await this.joinMarket(thread, stream, loaded);
  }

  /** Plays a stream's past into the strategy, and listens to it from then on. */
  private async joinMarket(thread: StrategyThread, stream: Stream, { warmupBars, wantsTicks }: Loaded): Promise<void> {
    const past = await this.market.join(stream, warmupBars, wantsTicks);
    // Indicators that are not warm are wrong without looking so: tried again, until the gateway has the history.
    if (past.length < warmupBars) throw new Error(tooFewBars(stream, warmupBars, past.length));
    for (const event of past) {
      const { reaction } = await thread.handle(this.spec.name, event, this.trading.view());
      if (reaction.error !== null) throw new Error(reaction.error);
      this.noteTime(event);
    }
  }

  private enqueue(queued: Queued): void {
    if (this.lifecycle.state === 'stopped') return;
    if (typeof queued === 'function') this.queue.addWork(queued);
    else this.queue.add(queued);
    this.pump();
  }

  private pump(): void {
    if (this.lifecycle.state !== 'running') return;
    this.pumping ??= this.drain().finally(() => {
      this.pumping = null;
      if (this.queue.depth > 0) this.pump();
    });
  }

  private async drain(): Promise<void> {
    for (let queued = this.queue.take(); queued && this.thread; queued = this.queue.take()) {
      try {
        if (typeof queued === 'function') await queued();
        else await this.handle(this.thread, queued);
      } catch (error) {
        await this.fail(error);
        return;
      }
    }
  }

  private async handle(thread: StrategyThread, { event, receivedNanos }: QueuedEvent): Promise<void> {
    this.noteTime(event);
    const { name } = this.spec;
    const { reaction, startedNanos, endedNanos } = await thread.handle(name, event, this.trading.view());
    const { latency } = this.services;
    if (receivedNanos !== null) latency.record(name, 'tick_to_strategy', startedNanos - receivedNanos);
    latency.record(name, 'strategy', endedNanos - startedNanos);
    for (const { message, details } of reaction.logs) this.log.info(message, details ?? undefined);
    await this.judge(reaction.error);
    const origin = { receivedNanos, decidedNanos: nanosNow() };
    for (const intent of reaction.intents) await this.trading.carryOut(intent, origin);
  }

  private async judge(error: string | null): Promise<void> {
    if (error === null) {
      this.errorsInARow = 0;
      return;
    }
    this.errors++;
    this.log.error(error);
    if (++this.errorsInARow >= mostErrors && this.book.record.halt === null) {
      this.errorsInARow = 0;
      await this.account.halt('persistent', `${mostErrors} handlers threw in a row`);
    }
  }

  private async fail(error: unknown): Promise<void> {
    if (this.lifecycle.state === 'stopped') return;
    const problem = error instanceof Error ? error.message : String(error);
    if (this.lifecycle.state === 'failed') this.lifecycle.problem = problem;
    else this.lifecycle.to('failed', problem);
    this.log.error('failed', { problem, retryInMs: this.retryMs });
    this.market.leave();
    this.queue.clear();
    await this.thread?.end();
    this.thread = null;
    if (this.services.isStopping()) return;
    this.retry = this.services.clock.setTimer(this.retryMs, () => void this.start());
    this.retryMs = Math.min(longestRetryMs, this.retryMs * 2);
  }

  private noteTime(event: StrategyEvent): void {
    if (event.type === 'bar') this.lastEventMs = event.bar.timeMs;
    if (event.type === 'tick') this.lastEventMs = event.tick.timeMs;
  }
}
