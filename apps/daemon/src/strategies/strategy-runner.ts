import type { Timer } from '@libs/clock';
import type { Fill, Reject, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { OrderDesk, type Origin } from '../trading/order-desk';
import { entryDenied } from '../trading/risk';
import { StackDesk } from '../trading/stack-desk';
import { StrategyBook } from '../trading/strategy-book';
import { EventQueue, type QueuedEvent, type QueuedWork } from './event-queue';
import type { Services } from './services';
import { StrategyAccount } from './strategy-account';
import { bundleStrategy } from './strategy-bundler';
import { StrategyMarket } from './strategy-market';
import { Lifecycle, type StrategyState } from './strategy-state';
import { StrategyThread } from './strategy-thread';
import type { Intent, Loaded, StrategyEvent, View } from './worker/messages';

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** Handlers that may throw in a row before the strategy is halted. */
const mostErrors = 5;

/** One deployed strategy: its thread, its events in order, its orders, its money. */
export class StrategyRunner {
  readonly lifecycle = new Lifecycle();
  readonly queue = new EventQueue();
  readonly persistence: Persistence;
  readonly book: StrategyBook;
  readonly account: StrategyAccount;
  readonly desk: OrderDesk;
  readonly stacks: StackDesk;
  readonly log: StrategyLog;
  readonly market: StrategyMarket;
  /** The version its file states; null before it is loaded. */
  version: number | null = null;
  errors = 0;
  private thread: StrategyThread | null = null;
  private pumping: Promise<void> | null = null;
  private retry: Timer | null = null;
  private retryMs = firstRetryMs;
  private errorsInARow = 0;
  private cancelling = false;
  private generation = 0;
  private lastEventMs: number;
  readonly startedAtMs: number;
  private readonly startedMs: number;

  constructor(
    readonly spec: StrategySpec,
    private readonly services: Services,
  ) {
    const { clock, store } = services;
    const record = store.strategy(spec.name) ?? {
      name: spec.name,
      realized: '0',
      trades: 0,
      lastTrade: null,
      halt: null,
      day: null,
      peakEquity: null,
    };
    this.startedAtMs = clock.nowMs();
    this.startedMs = clock.monotonicMs();
    this.lastEventMs = clock.nowMs();
    this.log = services.logs.of(spec.name);
    this.market = new StrategyMarket(
      spec.streams,
      (name) => services.gateway(name),
      (queued) => this.enqueue(queued),
      (alias, quote) => this.stacks.onQuote(alias, quote),
    );
    this.persistence = new Persistence(store);
    this.book = new StrategyBook(spec, record, store.openTickets(spec.name));
    this.account = new StrategyAccount(this.book, {
      clock,
      log: this.log,
      persistence: this.persistence,
      marketMs: () => this.lastEventMs,
      intentOf: (deal) => this.desk.intentOf(deal),
      inFlight: () => this.desk.inFlight,
      onFills: (fills) => this.onFills(fills),
      onHalt: (halt) => this.enqueueWork(() => this.stacks.endAll(`halted: ${halt.reason}`)),
      onSeen: () => this.onSeen(),
    });
    this.desk = new OrderDesk(this.book, {
      clock,
      keys: services.keys,
      latency: services.latency,
      log: this.log,
      clientOf: (broker) => services.gateway(broker).session.client,
      look: (broker) => services.gateway(broker).sync.now(),
      commit: (change) => this.account.commit(change),
      denied: (stream, volume, unresolved) => this.denied(stream, volume, unresolved),
      onReject: (reject) => this.onReject(reject),
      isStopping: () => services.isStopping(),
    });
    this.stacks = new StackDesk(spec.streams, store.openStacks(spec.name), {
      nanosNow,
      strategy: spec.name,
      log: this.log,
      commit: (change) => this.account.commit(change),
      enter: (intent, origin, along) => this.desk.carryOut(intent, origin, along),
      denied: (stream, volume) => this.denied(stream, volume, this.desk.inFlight),
      quote: (alias) => this.market.quotes[alias],
      isOpen: (ticket) => this.book.owns(ticket),
      marketMs: () => this.lastEventMs,
      inTurn: (work) => this.enqueueWork(work),
    });
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
    try {
      for (const broker of this.brokers) await this.services.gateway(broker).session.verify();
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
    for (const broker of this.brokers) {
      const { sync } = services.gateway(broker);
      sync.add(this.account);
      await sync.now();
      if (!sync.current) throw new Error(`the account of ${broker} could not be read`);
    }
    if (this.generation === 1) await this.takeUp();
    for (const stream of spec.streams) await this.joinMarket(thread, stream, loaded);
  }

  /** Goes on with what an earlier start of the daemon left open. */
  private async takeUp(): Promise<void> {
    const open = this.services.store.openIntents(this.spec.name);
    const known = new Set([...open, ...this.book.openTickets].map(({ intentId }) => intentId));
    await this.stacks.dropUnborn((intentId) => known.has(intentId));
    this.desk.takeUp(open);
  }

  /** Plays a stream's past into the strategy, and listens to it from then on. */
  private async joinMarket(thread: StrategyThread, stream: Stream, { warmupBars, wantsTicks }: Loaded): Promise<void> {
    const past = await this.market.join(stream, warmupBars, wantsTicks);
    if (past.length < warmupBars) this.log.warning('fewer bars than asked for to warm up with', { bars: past.length });
    for (const event of past) {
      const { reaction } = await thread.handle(this.spec.name, event, this.view());
      if (reaction.error !== null) throw new Error(reaction.error);
      this.noteTime(event);
    }
  }

  private enqueue(queued: QueuedEvent): void {
    if (this.lifecycle.state === 'stopped') return;
    this.queue.add(queued);
    this.pump();
  }

  private async onSeen(): Promise<void> {
    await this.stacks.sweep();
    // A halted strategy's pending entries go, each confirmed by the books; a cancel that failed is tried with the next look.
    if (this.book.record.halt === null || this.cancelling) return;
    const [order] = this.book.pendingRows;
    if (!order) return;
    this.cancelling = true;
    this.enqueueWork(async () => {
      const now = nanosNow();
      await this.desk
        .carryOut(
          { id: `halt-${order.ticket}`, action: 'cancel', order: order.ticket },
          { receivedNanos: null, decidedNanos: now },
        )
        .finally(() => (this.cancelling = false));
    });
  }

  private enqueueWork(work: QueuedWork): void {
    if (this.lifecycle.state === 'stopped') return;
    this.queue.addWork(work);
    this.pump();
  }

  private onFills(fills: readonly Fill[]): void {
    for (const fill of fills) {
      void this.stacks.onFill(fill);
      this.enqueue({ event: { type: 'fill', fill }, receivedNanos: null });
    }
  }

  private onReject(reject: Reject): void {
    void this.stacks.onReject(reject);
    this.enqueue({ event: { type: 'reject', reject }, receivedNanos: null });
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
    const { reaction, startedNanos, endedNanos } = await thread.handle(name, event, this.view());
    const { latency } = this.services;
    if (receivedNanos !== null) latency.record(name, 'tick_to_strategy', startedNanos - receivedNanos);
    latency.record(name, 'strategy', endedNanos - startedNanos);
    for (const { message, details } of reaction.logs) this.log.info(message, details ?? undefined);
    await this.judge(reaction.error);
    const origin = { receivedNanos, decidedNanos: nanosNow() };
    for (const intent of reaction.intents) await this.carryOut(intent, origin);
  }

  private async carryOut(intent: Intent, origin: Origin): Promise<void> {
    if (intent.action !== 'stack') return this.desk.carryOut(intent, origin);
    try {
      await this.stacks.open(intent, origin);
    } catch (error) {
      this.desk.deny(intent.id, error instanceof Error ? error.message : String(error));
    }
  }

  private async judge(error: string | null): Promise<void> {
    if (error === null) {
      this.errorsInARow = 0;
      return;
    }
    this.errors++;
    this.log.error(error);
    if (++this.errorsInARow === mostErrors && this.book.record.halt === null) {
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

  private denied(stream: Stream, volume: number, unresolved: number): string | null {
    const { session, sync } = this.services.gateway(stream.broker);
    return entryDenied({
      volume,
      openPositions: this.book.openTickets.length,
      risk: this.spec.risk,
      haltReason: this.book.record.halt?.reason ?? null,
      unresolved,
      stopping: this.services.isStopping(),
      accountCurrent: sync.current,
      stateWritable: this.persistence.lastError === null,
      accountMismatch: session.mismatch,
      staleSymbol: this.market.staleSymbols.includes(stream.symbol),
      clockSkewMs: this.market.skewMs(stream),
    });
  }

  private view(): View {
    const { book, desk, market } = this;
    return {
      positions: book.positions,
      orders: book.orders,
      equity: book.equity.toNumber(),
      inFlight: desk.inFlight,
      quotes: market.quotes,
    };
  }

  private noteTime(event: StrategyEvent): void {
    if (event.type === 'bar') this.lastEventMs = event.bar.timeMs;
    if (event.type === 'tick') this.lastEventMs = event.tick.timeMs;
  }
}
