import type { StrategySpec } from './strategy-spec';
import type { Change, KeptRecord, OwnedTicket, StateText, StrategyRecord } from './records';
import type { CoreEffect } from './core-effect';
import type { CoreMoment } from './core-event';
import { requestsAtStart, type InFlightRequests } from './in-flight-requests';
import { OrderIntents } from './order-intents';
import type { Holdings } from './risk';
import type { StackRecord } from './stack';
import { stacksOf, type Stacks } from './stacks';
import { noTrails, type Trails } from './trails';
import { noRows, StrategyBook, type BookRows } from './strategy-book';

/** What the state directory has of a strategy. */
export interface StoredState {
  readonly spec: StrategySpec;
  readonly record: StrategyRecord;
  readonly tickets: readonly OwnedTicket[];
  /** Those that are not over. */
  readonly stacks: readonly StackRecord[];
  /** What the strategy keeps under `trade.state`; null if it never changed that. */
  readonly kept: KeptRecord | null;
}

/** A write that a request waits for. */
export interface AwaitedWrite {
  /** Number of its persist. */
  readonly n: number;
  readonly key: string;
  /** The order that the request became, if known. */
  readonly order: number | null;
}

/** The whole state of a core as plain data: another core continues with it where this one stopped. */
export interface CoreSnapshot extends Omit<StoredState, 'stacks'> {
  readonly version: 4;
  readonly rows: BookRows;
  /** Orders with the intents that created them, the oldest first. */
  readonly orders: readonly (readonly [order: string, intentId: string])[];
  readonly requests: InFlightRequests;
  readonly stacks: Stacks;
  readonly trails: Trails;
  readonly isUnsaved: boolean;
  /** The last number of a persist or submit. */
  readonly lastNumber: number;
  readonly awaited: readonly AwaitedWrite[];
}

/** The state that a strategy starts with. */
export function startOf({ spec, record, tickets, stacks, kept }: StoredState): CoreSnapshot {
  return {
    version: 4,
    spec,
    record,
    tickets,
    stacks: stacksOf(stacks),
    trails: noTrails,
    kept,
    rows: noRows,
    requests: requestsAtStart(tickets),
    orders: [],
    isUnsaved: false,
    lastNumber: 0,
    awaited: [],
  };
}

/** One event while it is handled. */
export interface Turn {
  readonly at: CoreMoment;
  readonly out: CoreEffect[];
  /** Number of the persist that ended with this event. The request that waited for it may be sent. */
  readonly persisted?: number;
}

/** What one strategy owns, has requested and waits for. */
export class CoreState {
  readonly book: StrategyBook;
  readonly intents: OrderIntents;
  requests: InFlightRequests;
  stacks: Stacks;
  trails: Trails;
  kept: KeptRecord | null;
  /** Whether the last persist that ended failed. */
  isUnsaved: boolean;
  /** By the number of the persist. */
  readonly awaited: Map<number, AwaitedWrite>;
  private numbers: number;
  private held: { readonly of: InFlightRequests['requests']; readonly holdings: Holdings };

  /** @throws Error for a snapshot of another version */
  constructor(from: CoreSnapshot) {
    const { version } = from as { readonly version: number };
    if (version !== 4) throw new Error(`the state of a core has version ${version}, and 4 is needed`);
    this.book = new StrategyBook(from.spec, from.record, from.tickets, from.rows);
    this.intents = new OrderIntents(from.orders);
    this.requests = from.requests;
    this.stacks = from.stacks;
    this.trails = from.trails;
    this.kept = from.kept;
    this.isUnsaved = from.isUnsaved;
    this.awaited = new Map(from.awaited.map((write) => [write.n, write]));
    this.numbers = from.lastNumber;
    this.held = { of: [], holdings: { book: this.book, inFlight: [] } };
  }

  get snapshot(): CoreSnapshot {
    const { book, intents, requests, stacks, trails, kept, isUnsaved, awaited, numbers } = this;
    return {
      version: 4,
      spec: book.spec,
      record: book.record,
      tickets: book.openTickets,
      rows: book.rows,
      orders: intents.all,
      requests,
      stacks,
      trails,
      kept,
      isUnsaved,
      lastNumber: numbers,
      awaited: [...awaited.values()],
    };
  }

  /** Made again only after the requests have changed. */
  get holdings(): Holdings {
    const { requests } = this.requests;
    if (this.held.of !== requests) {
      this.held = { of: requests, holdings: { book: this.book, inFlight: requests.map(({ record }) => record) } };
    }
    return this.held.holdings;
  }

  /** Number of requests in flight on a gateway. */
  inFlightOn(broker: string): number {
    return this.requests.requests.filter(({ record }) => record.broker === broker).length;
  }

  /** The next number of a persist or submit. */
  nextNumber(): number {
    return ++this.numbers;
  }

  /** The strategy changed what it keeps. */
  keep({ version, json }: StateText, turn: Turn): void {
    this.kept = { strategy: this.book.spec.name, version, json };
    this.persist({ kept: this.kept }, turn);
  }

  /** Applies a change at once and has it made durable. @returns the number of the persist */
  persist(change: Change, { at, out }: Turn, key: string | null = null): number {
    // Memory first: the broker's state is a fact even if the disk fails, and a later change must not be overwritten.
    this.book.apply(change);
    const n = this.nextNumber();
    out.push({ type: 'persist', n, atMs: at.nowMs, change, key });
    return n;
  }
}
