import type { StrategySpec } from '../daemon-file/daemon-file';
import type { OwnedTicket, StrategyRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { CoreEffect } from './core-effect';
import type { CoreMoment } from './core-event';
import { noRequests, type InFlightRequests } from './in-flight-requests';
import { OrderIntents } from './order-intents';
import type { Holdings } from './risk';
import type { StackRecord } from './stack';
import { stacksOf, type Stacks } from './stacks';
import { StrategyBook } from './strategy-book';

/** What a core starts with. Plain data. */
export interface CoreBeginning {
  readonly version: 1;
  readonly spec: StrategySpec;
  readonly record: StrategyRecord;
  readonly tickets: readonly OwnedTicket[];
  /** Those that are not over. */
  readonly stacks: readonly StackRecord[];
}

/** One event while it is handled. */
export interface Turn {
  readonly at: CoreMoment;
  readonly out: CoreEffect[];
}

/** What one strategy owns, has requested and waits for. */
export class CoreState {
  readonly book: StrategyBook;
  readonly intents = new OrderIntents();
  requests: InFlightRequests = noRequests;
  stacks: Stacks;
  /** Whether the last persist that ended failed. */
  isUnsaved = false;
  private numbers = 0;

  constructor({ spec, record, tickets, stacks }: CoreBeginning) {
    this.book = new StrategyBook(spec, record, tickets);
    this.stacks = stacksOf(stacks);
  }

  get holdings(): Holdings {
    return { book: this.book, inFlight: this.requests.requests.map(({ record }) => record) };
  }

  /** Number of requests in flight on a gateway. */
  inFlightOn(broker: string): number {
    return this.requests.requests.filter(({ record }) => record.broker === broker).length;
  }

  /** The next number of a persist or submit. */
  nextNumber(): number {
    return ++this.numbers;
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
