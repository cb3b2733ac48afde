import type { Stream } from '@libs/strategy';
import type { Circumstances } from '../core/risk';
import type { Layer, Moment } from '../core/stacks';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import type { Origin } from '../trading/desk-surroundings';
import { LiveCore } from '../trading/live-core';
import { OrderDesk } from '../trading/order-desk';
import { StackDesk } from '../trading/stack-desk';
import type { StrategyBook } from '../core/strategy-book';
import { gatewayOf, type TradedGateways } from '../trading/traded-gateway';
import { TradingEvents, type TradingEvent } from '../trading/trading-events';
import { stackUnfitness } from './account-fitness';
import type { MarketClock } from './market-clock';
import type { Services } from './services';
import { StrategyAccount } from './strategy-account';
import { StrategyEvents } from './strategy-events';
import type { Intent, View } from './worker/messages';

/** What the trading of a strategy needs of what all strategies share. */
export type TradingServices = Pick<Services, 'clock' | 'store' | 'latency' | 'keys' | 'shutdown' | 'recordings'> & {
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
    log: StrategyLog,
  ) {
    const { store } = services;
    const { events } = this;
    const brokers = [...new Set(spec.streams.map(({ broker }) => broker))];
    const { record, tickets, stacks, unreadable } = remembered(store, spec.name, brokers);
    this.unreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
    const core = new LiveCore({ spec, record, tickets, stacks }, this.persistence, { ...services, log, events });
    this.book = core.state.book;
    this.desk = new OrderDesk(core, { ...services, log });
    this.stacks = new StackDesk(core, this.desk);
    this.account = new StrategyAccount(core, { log, market, events });
    events.listen((event) => this.onEvent(event));
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
        return this.feed.emit('order', { outcome: event.reject.kind, ...event.reject });
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
        return this.feed.emit('halt', event.halt);
      case 'reached':
      case 'seen':
        return;
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
