import type { Stream } from '@libs/strategy';
import { sweepsOf } from '../core/pending-sweep';
import type { Circumstances } from '../core/risk';
import type { Layer, Moment } from '../core/stacks';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import type { Origin } from '../trading/desk-surroundings';
import { DurableBook } from '../trading/durable-book';
import { InFlight } from '../trading/in-flight';
import { OpenStacks } from '../trading/open-stacks';
import { OrderDesk } from '../trading/order-desk';
import { StackDesk } from '../trading/stack-desk';
import { StrategyBook } from '../core/strategy-book';
import { gatewayOf, type TradedGateways } from '../trading/traded-gateway';
import { TradingEvents, type TradingEvent } from '../trading/trading-events';
import { stackUnfitness } from './account-fitness';
import type { MarketClock } from './market-clock';
import type { Services } from './services';
import { StrategyAccount } from './strategy-account';
import { StrategyEvents } from './strategy-events';
import type { Intent, View } from './worker/messages';

/** What the trading of a strategy needs of what all strategies share. */
export type TradingServices = Pick<Services, 'clock' | 'store' | 'latency' | 'keys' | 'shutdown'> & {
  readonly gateways: TradedGateways;
};

/** One strategy's book, account, order desk and stacks, wired together. */
export class StrategyTrading {
  readonly events = new TradingEvents();
  /** What its own port shows of it. */
  readonly feed = new StrategyEvents();
  readonly persistence: Persistence;
  /** Why its state cannot be read, so that it must not run; null when it can. */
  readonly unreadable: string | null;
  readonly book: StrategyBook;
  readonly account: StrategyAccount;
  readonly desk: OrderDesk;
  readonly stacks: StackDesk;
  private hasTakenUp = false;

  constructor(
    spec: StrategySpec,
    private readonly services: TradingServices,
    private readonly market: MarketClock,
    private readonly log: StrategyLog,
  ) {
    const { clock, store } = services;
    const { events } = this;
    const brokers = [...new Set(spec.streams.map(({ broker }) => broker))];
    const { record, tickets, stacks, unreadable } = remembered(store, spec.name, brokers);
    this.unreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
    this.book = new StrategyBook(spec, record, tickets);
    const inFlight = new InFlight();
    const ledger = new DurableBook(this.book, this.persistence, log);
    const openStacks = new OpenStacks(stacks, this.book, inFlight);
    this.account = new StrategyAccount(ledger, inFlight, openStacks, { clock, log, market, events });
    this.desk = new OrderDesk(ledger, inFlight, { ...services, log, events });
    this.stacks = new StackDesk(openStacks, this.desk, ledger, log);
    events.listen((event) => this.onEvent(event));
  }

  /** Applies a changed configuration: book, stacks, halts and in-flight requests stay as they are. */
  async respec(spec: StrategySpec): Promise<void> {
    const before = this.book.record;
    this.book.respec(spec);
    const { record } = this.book;
    if (record !== before) await this.account.commit({ strategy: record });
  }

  /** Resumes, once, the requests that an earlier start of the daemon left open. */
  async takeUp(): Promise<void> {
    if (this.hasTakenUp) return;
    this.hasTakenUp = true;
    const open = this.services.store.openIntents(this.book.spec.name);
    await this.stacks.takeUp([...open, ...this.book.openTickets].flatMap(({ intentId }) => intentId ?? []));
    this.desk.takeUp(open);
  }

  /**
   * @param marketMs the market's time at which the strategy decided, in UTC milliseconds
   * @param staleBarMs how late the bar was that it decided on, in milliseconds of market time; null: in time
   */
  async carryOut(intent: Intent, origin: Origin, marketMs: number, staleBarMs: number | null = null): Promise<void> {
    this.feed.emit('signal', { ...intent, marketMs });
    if (intent.action === 'enter') {
      const moment = this.momentOf(intent.stream, staleBarMs);
      await this.desk.carryOut(intent, origin, moment?.circumstances);
    } else if (intent.action === 'stack') {
      const moment = this.momentOf(intent.stream, staleBarMs);
      await this.stacks.open(intent, origin, this.stackUnfitness(intent.stream), moment);
    } else await this.desk.carryOut(intent, origin);
  }

  /** The strategy's current view. */
  view(): View {
    const { book, desk } = this;
    return {
      positions: book.positions,
      orders: book.orders,
      equity: book.equity.toNumber(),
      inFlight: desk.inFlight,
      quotes: this.market.market.quotes,
      symbols: this.market.market.symbolSpecs,
    };
  }

  private onEvent(event: TradingEvent): void {
    switch (event.type) {
      case 'done': {
        const { type: outcome, ...done } = event;
        return this.feed.emit('order', { outcome, ...done });
      }
      case 'rejected':
        this.feed.emit('order', { outcome: event.reject.kind, ...event.reject });
        return void this.stacks.onReject(event.reject);
      case 'filled':
        for (const fill of event.fills) {
          this.feed.emit('trade', fill);
          this.desk.submissions.filled(fill);
        }
        return;
      case 'gone':
        this.desk.submissions.gone(event.gone.intentId);
        return this.feed.emit('order', { outcome: event.gone.kind, ...event.gone });
      case 'halted':
        this.feed.emit('halt', event.halt);
        return void this.stacks.endAll(`halted: ${event.halt.reason}`);
      case 'seen':
        // Its error must end neither the daemon nor the check of the halt rules.
        return void this.onSeen().catch((error: unknown) => this.account.onTrouble(error));
    }
  }

  private async onSeen(): Promise<void> {
    const { desk } = this;
    if (this.stacks.hasOpen) await this.stacks.sweep(this.market.nowMs);
    // Each is confirmed by the books: one that could not be cancelled is still there at the next look.
    for (const { intent, reason } of sweepsOf(desk.holdings, this.market.nowMs, this.market.market.quotes)) {
      this.log.info('cancelling a pending order', { ticket: intent.order, reason });
      // Not queued: it must also work while the strategy's thread hangs or has ended.
      const sent = desk.carryOut(intent, { receivedNanos: null, decidedNanos: nanosNow() });
      sent.catch((error: unknown) => this.log.error('cancelling a pending order failed', { error: String(error) }));
    }
  }

  /** Enters a layer when its turn among the strategy's events has come. */
  async enterLayer(layer: Layer): Promise<void> {
    const decidedNanos = nanosNow();
    await this.stacks.enter(layer, { receivedNanos: decidedNanos, decidedNanos }, this.momentOf(layer.stream, null));
  }

  private stackUnfitness(alias: string): string | null {
    const stream = this.streamOf(alias);
    return stream
      ? stackUnfitness(stream.broker, gatewayOf(this.services.gateways, stream.broker).session.account)
      : null;
  }

  private streamOf(alias: string): Stream | undefined {
    return this.book.spec.streams.find((stream) => stream.alias === alias);
  }

  /** Null for a stream that does not exist. */
  private momentOf(alias: string, staleBarMs: number | null): Moment | null {
    const stream = this.streamOf(alias);
    if (!stream) return null;
    const { market } = this.market;
    const circumstances = this.circumstances(stream, staleBarMs);
    return { quote: market.quotes[alias] ?? null, marketMs: this.market.nowMs, circumstances };
  }

  private circumstances(stream: Stream, staleBarMs: number | null): Circumstances {
    const { session, sync } = gatewayOf(this.services.gateways, stream.broker);
    return {
      staleBarMs,
      stopping: this.services.shutdown.isStopping,
      accountMismatch: session.mismatch,
      stateWritable: this.persistence.lastError === null,
      accountProblem: sync.problem,
      staleSymbol: this.market.market.isStale(stream),
      clockSkewMs: this.market.market.skewMs(stream),
    };
  }
}
