import type { Account, Quote, Stream } from '@libs/strategy';
import type { CoreRecordings } from '../core/core-recording';
import type { Intent } from '../core/strategy-event';
import type { KeptRecord, StateText } from '../core/records';
import type { Circumstances } from '../core/risk';
import type { Layer, Moment } from '../core/stacks';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategySpec } from '../core/strategy-spec';
import type { StopTerms } from '../core/trails';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence, remembered } from '../state/persistence';
import { LiveCore } from './live-core';
import { OrderDesk } from './order-desk';
import { StrategyEvents, TradingEvents, type TradingEvent } from './trading-events';
import { stackUnfitness } from './account-fitness';
import type { MarketClock } from './strategy-market';
import { StrategyAccount } from './strategy-account';
import { gatewayOf, type DeskSurroundings, type Origin } from './surroundings';
import type { View } from './view';

/** What the trading of a strategy needs of what all strategies share. */
export interface TradingServices extends Omit<DeskSurroundings, 'log'> {
  /** Null: nothing is recorded. */
  readonly recordings: CoreRecordings | null;
}

/** The circumstances in which a strategy decided. */
export interface Decision {
  /** The market's time, in UTC milliseconds. */
  readonly marketMs: number;
  /** How late the bar was that it decided on, in milliseconds of market time; null: in time. */
  readonly staleBarMs: number | null;
  /** Whether `trade.state` could be kept as its handler left it. */
  readonly isStateKept: boolean;
}

type DecidedOn = Pick<Decision, 'staleBarMs' | 'isStateKept'>;

/** A layer enters by its price, and not by a decision of a handler. */
const ofLayer: DecidedOn = { staleBarMs: null, isStateKept: true };

/** One strategy's book, account and order desk, wired together: states the circumstances of what it decides. */
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
  private readonly core: LiveCore;
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
    const { unreadable, ...stored } = remembered(store, spec.name, brokers);
    this.unreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
    const core = new LiveCore({ spec, ...stored }, this.persistence, { ...services, log, events });
    this.core = core;
    this.book = core.state.book;
    this.desk = new OrderDesk(core, { ...services, log });
    this.account = new StrategyAccount(core, { log, market, events, gateways: services.gateways });
    events.listen((event) => this.onEvent(event));
  }

  /** Resumes, once, the requests that an earlier start of the daemon left open. @throws StateReadError with nothing resumed */
  async takeUp(): Promise<void> {
    if (this.hasTakenUp) return;
    const open = this.services.store.openIntents(this.book.spec.name);
    const superseded = this.desk.supersededOf(open);
    // After the reads: if one of them fails, the next start takes up everything.
    this.hasTakenUp = true;
    await this.desk.takeUpStacks([...open, ...this.book.openTickets].flatMap(({ intentId }) => intentId ?? []));
    this.desk.takeUp(open, superseded);
  }

  /** What the strategy keeps under `trade.state`; null if it never changed that. */
  get kept(): KeptRecord | null {
    return this.core.state.kept;
  }

  /**
   * Takes what the strategy keeps from now on. Resolves when it is on disk, or when the disk has refused it: then it is
   * written along with the next change, and entries are denied until then.
   */
  async keep(state: StateText): Promise<void> {
    await this.core.deliver({ type: 'state', state });
  }

  async carryOut(intent: Intent, origin: Origin, decision: Decision): Promise<void> {
    this.feed.emit('signal', { ...intent, marketMs: decision.marketMs });
    if (intent.action === 'enter') {
      const moment = this.momentOf(intent.stream, decision);
      await this.desk.carryOut(intent, origin, moment?.circumstances);
    } else if (intent.action === 'stack') {
      const moment = this.momentOf(intent.stream, decision);
      await this.desk.openStack(intent, origin, this.stackUnfitness(intent.stream), moment);
    } else if (intent.action === 'trail') await this.desk.setTrail(intent);
    else {
      if (intent.action === 'protect') await this.desk.trailSettled(intent.position);
      await this.desk.carryOut(intent, origin);
    }
  }

  /** A quote of a stream. @param terms null while the specification of its symbol is not known */
  see(alias: string, quote: Quote, terms: StopTerms | null): void {
    this.desk.see(alias, quote, terms);
  }

  /** The strategy's current view. */
  view(): View {
    const { book, desk } = this;
    return {
      positions: book.positions,
      orders: book.orders,
      equity: book.equity.toNumber(),
      inFlight: desk.inFlight + desk.awaited.length,
      quotes: this.market.market.quotes,
      symbols: this.market.market.symbolSpecs,
      maxVolume: book.spec.risk.maxVolume,
      accounts: this.accounts,
    };
  }

  private get accounts(): View['accounts'] {
    const brokers = new Set(this.book.spec.streams.map(({ broker }) => broker));
    const known = [...brokers].flatMap((broker): [string, Account][] => {
      const money = this.services.gateways.get(broker)?.session.money;
      return money ? [[broker, money]] : [];
    });
    return Object.fromEntries(known);
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
          this.core.requests.submissions.filled(fill);
        }
        return;
      case 'gone':
        this.core.requests.submissions.gone(event.gone.intentId);
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
    await this.desk.enterLayer(
      layer,
      { receivedNanos: decidedNanos, decidedNanos },
      this.momentOf(layer.stream, ofLayer),
    );
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
  private momentOf(alias: string, decision: DecidedOn): Moment | null {
    const stream = this.streamOf(alias);
    if (!stream) return null;
    const { market } = this.market;
    const circumstances = this.circumstances(stream, decision);
    return { quote: market.quotes[alias] ?? null, marketMs: this.market.nowMs, circumstances };
  }

  private circumstances(stream: Stream, { staleBarMs, isStateKept }: DecidedOn): Circumstances {
    const { session, sync } = gatewayOf(this.services.gateways, stream.broker);
    return {
      staleBarMs,
      stopping: this.services.shutdown.isStopping,
      leaseProblem: this.services.lease?.entryProblem ?? null,
      accountMismatch: session.entryProblem,
      stateWritable: this.persistence.lastError === null,
      isStateKept,
      accountProblem: sync.entryProblem,
      staleSymbol: this.market.market.isStale(stream),
      clockSkewMs: this.market.market.skewMs(stream),
    };
  }
}
