import type { Fill, Reject, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import { OrderDesk, type Origin } from '../trading/order-desk';
import { entryDenied } from '../trading/risk';
import { StackDesk } from '../trading/stack-desk';
import { StrategyBook } from '../trading/strategy-book';
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
  private cancelling = false;
  private hasTakenUp = false;

  constructor(
    spec: StrategySpec,
    private readonly services: Services,
    private readonly around: TradingSurroundings,
    log: StrategyLog,
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
      intentOf: (deal) => this.desk.intentOf(deal),
      inFlight: () => this.desk.inFlight,
      onFills: (fills) => this.onFills(fills),
      onHalt: (halt) => {
        this.events.tell('halt', halt);
        around.inTurn(() => this.stacks.endAll(`halted: ${halt.reason}`));
      },
      onSeen: () => this.onSeen(),
    });
    this.desk = new OrderDesk(this.book, {
      clock,
      log,
      keys: services.keys,
      latency: services.latency,
      clientOf: (broker) => services.gateway(broker).session.client,
      look: (broker) => services.gateway(broker).sync.now(),
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
      denied: (stream, volume) => this.denied(stream, volume, this.desk.inFlight),
      quote: (alias) => around.market.quotes[alias],
      isOpen: (ticket) => this.book.owns(ticket),
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

  async carryOut(intent: Intent, origin: Origin): Promise<void> {
    this.events.tell('signal', intent);
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

  private onFills(fills: readonly Fill[]): void {
    for (const fill of fills) {
      this.events.tell('trade', fill);
      void this.stacks.onFill(fill);
      this.around.enqueue({ type: 'fill', fill });
    }
  }

  private onReject(reject: Reject): void {
    this.events.tell('order', { outcome: reject.kind, ...reject });
    void this.stacks.onReject(reject);
    this.around.enqueue({ type: 'reject', reject });
  }

  private async onSeen(): Promise<void> {
    await this.stacks.sweep();
    // A halted strategy's pending entries go, each confirmed by the books; a cancel that failed is tried with the next look.
    if (this.book.record.halt === null || this.cancelling) return;
    const [order] = this.book.pendingRows;
    if (!order) return;
    this.cancelling = true;
    const intent = { id: `halt-${order.ticket}`, action: 'cancel', order: order.ticket } as const;
    this.around.inTurn(async () => {
      await this.desk
        .carryOut(intent, { receivedNanos: null, decidedNanos: nanosNow() })
        .finally(() => (this.cancelling = false));
    });
  }

  private denied(stream: Stream, volume: number, unresolved: number): string | null {
    const { session, sync } = this.services.gateway(stream.broker);
    return entryDenied({
      volume,
      unresolved,
      openPositions: this.book.openTickets.length,
      risk: this.book.spec.risk,
      haltReason: this.book.record.halt?.reason ?? null,
      stopping: this.services.isStopping(),
      accountCurrent: sync.current,
      stateWritable: this.persistence.lastError === null,
      accountMismatch: session.mismatch,
      staleSymbol: this.around.market.staleSymbols.includes(stream.symbol),
      clockSkewMs: this.around.market.skewMs(stream),
    });
  }
}
