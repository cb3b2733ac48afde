import type { Fill, OrderGone, Reject, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import type { Origin } from '../trading/desk-surroundings';
import { OrderDesk } from '../trading/order-desk';
import { sweepable } from '../trading/pending-sweep';
import { entryDenied } from '../trading/risk';
import { StackDesk } from '../trading/stack-desk';
import { StrategyBook } from '../trading/strategy-book';
import { ticketKey } from '../trading/ticket-key';
import { stackUnfitness } from './account-fitness';
import type { QueuedWork } from './event-queue';
import type { Services } from './services';
import { StrategyAccount } from './strategy-account';
import { StrategyEvents } from './strategy-events';
import type { StrategyMarket } from './strategy-market';
import type { Intent, StrategyEvent, View } from './worker/messages';

export interface TradingSurroundings {
  readonly market: StrategyMarket;
  /** Market time of the last event. */
  marketMs(): number;
  /** Hands an event to the strategy. */
  enqueue(event: StrategyEvent): void;
  /** Runs when the strategy's earlier events and orders are done with. */
  inTurn(work: QueuedWork): void;
}

/** One strategy's money and orders: its book, its account, its desk and its stacks, and how they hang together. */
export class StrategyTrading {
  readonly events = new StrategyEvents();
  readonly persistence: Persistence;
  /** Why its state cannot be read, so that it must not run; null when it can. */
  readonly unreadable: string | null;
  readonly book: StrategyBook;
  readonly account: StrategyAccount;
  readonly desk: OrderDesk;
  readonly stacks: StackDesk;
  /** Pending orders that are being cancelled. */
  private readonly cancelling = new Set<string>();
  private hasTakenUp = false;

  constructor(
    spec: StrategySpec,
    private readonly services: Services,
    private readonly around: TradingSurroundings,
    private readonly log: StrategyLog,
  ) {
    const { clock, store } = services;
    const brokers = [...new Set(spec.streams.map(({ broker }) => broker))];
    const { record, tickets, stacks, unreadable } = remembered(store, spec.name, brokers);
    this.unreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
    this.book = new StrategyBook(spec, record, tickets);
    this.account = new StrategyAccount(this.book, {
      clock,
      log,
      persistence: this.persistence,
      marketMs: () => around.marketMs(),
      intentOf: (broker, deal) => this.desk.intentOf(broker, deal),
      inFlightOn: (broker) => this.desk.inFlightOn(broker),
      along: (fills) => this.stacks.filled(fills),
      onFills: (fills) => this.onFills(fills),
      onOrderGone: (gone) => this.onOrderGone(gone),
      onHalt: (halt) => {
        this.events.tell('halt', halt);
        void this.stacks.endAll(`halted: ${halt.reason}`);
      },
      onSeen: () => this.onSeen(),
    });
    this.desk = new OrderDesk(this.book, {
      clock,
      log,
      keys: services.keys,
      latency: services.latency,
      hasGateway: (broker) => services.hasGateway(broker),
      clientOf: (broker) => services.gateway(broker).session.client,
      ticketOf: (broker, ticket) => store.ticket(broker, ticket),
      look: (broker) => this.look(broker),
      commit: (change) => this.account.commit(change),
      denied: (stream, volume, unresolved) => this.denied(stream, volume, unresolved),
      onReject: (reject) => this.onReject(reject),
      onDone: (done) => this.events.tell('order', { outcome: 'done', ...done }),
      isStopping: () => services.isStopping(),
      hasEnded: () => services.hasEnded(),
    });
    this.stacks = new StackDesk(spec.streams, stacks, {
      log,
      nanosNow,
      strategy: spec.name,
      commit: (change) => this.account.commit(change),
      enter: (intent, origin, along) => this.desk.carryOut(intent, origin, along),
      denied: (stream, volume) => this.denied(stream, volume, this.desk.inFlightOn(stream.broker)),
      quote: (alias) => around.market.quotes[alias],
      isOpen: (broker, ticket) => this.book.owns(broker, ticket),
      unfit: ({ broker }) => stackUnfitness(broker, services.gateway(broker).session.account),
      marketMs: () => around.marketMs(),
      inTurn: (work) => around.inTurn(work),
    });
  }

  /** Goes on under another configuration: book, stacks, halts and requests on their way stay as they are. */
  async respec(spec: StrategySpec): Promise<void> {
    const before = this.book.record;
    this.book.respec(spec);
    this.stacks.respec(spec.streams);
    const { record } = this.book;
    if (record !== before) await this.account.commit({ strategy: record });
  }

  /** Goes on, once, with what an earlier start of the daemon left open. */
  async takeUp(): Promise<void> {
    if (this.hasTakenUp) return;
    this.hasTakenUp = true;
    const open = this.services.store.openIntents(this.book.spec.name);
    const known = new Set([...open, ...this.book.openTickets].map(({ intentId }) => intentId));
    await this.stacks.dropUnborn((intentId) => known.has(intentId));
    this.desk.takeUp(open);
  }

  /** @param marketMs the market's time at which the strategy decided, in UTC milliseconds */
  async carryOut(intent: Intent, origin: Origin, marketMs: number): Promise<void> {
    this.events.tell('signal', { ...intent, marketMs });
    if (intent.action !== 'stack') return this.desk.carryOut(intent, origin);
    try {
      await this.stacks.open(intent, origin);
    } catch (error) {
      this.desk.deny(intent.id, error instanceof Error ? error.message : String(error));
    }
  }

  /** What the strategy sees at this moment. */
  view(): View {
    const { book, desk } = this;
    return {
      positions: book.positions,
      orders: book.orders,
      equity: book.equity.toNumber(),
      inFlight: desk.inFlight,
      quotes: this.around.market.quotes,
    };
  }

  /**
   * Has the account looked at. One that fails in a way nobody foresaw shows nothing, as one that cannot be read does: a
   * request that waits for what it shows goes on its way.
   */
  private async look(broker: string): Promise<void> {
    try {
      await this.services.gateway(broker).sync.now();
    } catch (error) {
      this.log.error('the account could not be looked at', { gateway: broker, error: String(error) });
    }
  }

  private onFills(fills: readonly Fill[]): void {
    for (const fill of fills) {
      this.events.tell('trade', fill);
      this.desk.submissions.filled(fill);
      this.around.enqueue({ type: 'fill', fill });
    }
  }

  private onReject(reject: Reject): void {
    this.events.tell('order', { outcome: reject.kind, ...reject });
    void this.stacks.onReject(reject);
    this.around.enqueue({ type: 'reject', reject });
  }

  private onOrderGone(gone: OrderGone): void {
    this.desk.submissions.gone(gone.intentId);
    this.events.tell('order', { outcome: gone.kind, ...gone });
    this.around.enqueue({ type: 'gone', gone });
  }

  private async onSeen(): Promise<void> {
    const { desk, book } = this;
    await this.stacks.sweep();
    // Each is confirmed by the books; one that could not be cancelled is still there at the next look, and tried again.
    for (const { owned, reason } of sweepable(book, (stream) => this.marketMsOf(stream))) {
      const { broker, ticket } = owned;
      const key = ticketKey(broker, ticket);
      if (this.cancelling.has(key) || desk.isActingOn(broker, ticket)) continue;
      this.cancelling.add(key);
      this.log.info('cancelling a pending order', { ticket, reason });
      const intent = { id: `sweep-${ticket}`, action: 'cancel', order: ticket, broker } as const;
      // Not in turn: it has to happen while the strategy's thread hangs or is gone, too.
      void desk
        .carryOut(intent, { receivedNanos: null, decidedNanos: nanosNow() })
        .finally(() => this.cancelling.delete(key));
    }
  }

  /** Market time as its last quote tells it, for orders that only the market's own time ends. */
  private marketMsOf(stream: string): number {
    return Math.max(this.around.marketMs(), this.around.market.quotes[stream]?.timeMs ?? 0);
  }

  private denied(stream: Stream, volume: number, unresolved: number): string | null {
    const { session, sync } = this.services.gateway(stream.broker);
    return entryDenied({
      volume,
      unresolved,
      openPositions: this.book.openTickets.length + this.desk.entriesInFlight,
      risk: this.book.spec.risk,
      haltReason: this.book.record.halt?.reason ?? null,
      stopping: this.services.isStopping(),
      accountProblem: sync.problem,
      stateWritable: this.persistence.lastError === null,
      accountMismatch: session.mismatch,
      staleSymbol: this.around.market.isStale(stream),
      clockSkewMs: this.around.market.skewMs(stream),
    });
  }
}
