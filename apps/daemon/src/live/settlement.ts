import type { DealRecord } from '@libs/gateway-client';
import type { CoreEffect, ReadEffect } from '../core/core-effect';
import type { FollowedOrder, SettlementEvent } from '../core/core-event';
import type { OrderFacts } from '../core/order-end';
import type { StrategyBook } from '../core/strategy-book';

/** Reads of the settlement, at once or later. A failed read throws and leaves the books unchanged. */
export interface BrokerReads {
  /** @param position its identifier */
  dealsOfPosition(position: number): readonly DealRecord[] | Promise<readonly DealRecord[]>;
  /** An order, pending or done; null if the broker has none (yet). */
  orderFromTicket(ticket: number): OrderFacts | null | Promise<OrderFacts | null>;
}

/** The account whose books are settled. */
export interface SettledBroker {
  readonly name: string;
  readonly reads: BrokerReads;
  /** Whether every order opens its own position (hedging); else there is one position per symbol. */
  isHedging(): boolean;
}

/** The core whose books are settled, and the shell that performs its effects. */
export interface Settled {
  readonly book: StrategyBook;
  /** Delivers an event to the core. @returns its effects in order: reads are for the settlement, the rest for {@link perform} */
  handle(event: SettlementEvent): readonly CoreEffect[];
  /** Performs an effect, at once or later. */
  perform(effect: Exclude<CoreEffect, ReadEffect>): unknown;
}

/** Known tickets of all strategies, open or closed. */
export interface TicketMemory {
  /** The strategy that owns or owned it; null for an external one. */
  ownerOf(broker: string, ticket: number): string | null;
}

/** A part of the settlement: yields the promise that it awaits, and continues when it is settled. */
type Steps<Result> = Generator<Promise<unknown>, Result, void>;

/**
 * Books deals and ended orders of one broker until books and rows agree. Each deal is booked once. Where reads and commits are
 * promises, the settlement waits for each; where they are not, it is done at once.
 */
export class Settlement {
  constructor(
    private readonly account: SettledBroker,
    private readonly memory: TicketMemory,
    /** Whether deals may show what they cost later than themselves. */
    private readonly mayCostMore = false,
  ) {}

  private get broker(): string {
    return this.account.name;
  }

  private get reads(): BrokerReads {
    return this.account.reads;
  }

  /** @throws what the reads throw */
  async settle(account: Settled): Promise<void> {
    for (const pending of this.steps(account)) await pending;
  }

  /** As {@link settle}, where no read and no commit is a promise. @throws Error if one is, and what the reads throw */
  settleNow(account: Settled): void {
    if (this.steps(account).next().done !== true)
      throw new Error('settleNow needs reads and writes that are not promises');
  }

  private *steps(account: Settled): Steps<void> {
    for (const { ticket, symbol } of account.book.unsettled(this.broker)) {
      yield* this.settleTicket(account, ticket);
      if (!this.account.isHedging() && account.book.orderRow(this.broker, ticket)) {
        yield* this.settlePositionsOf(account, symbol);
      }
    }
  }

  /**
   * Netting, an order that still works may have filled into the position that is there: as much as a close took out of
   * it leaves the position's volume as it was.
   */
  private *settlePositionsOf(account: Settled, symbol: string): Steps<void> {
    for (const { owned } of account.book.held) {
      if (owned.broker === this.broker && owned.symbol === symbol) yield* this.settleTicket(account, owned.ticket);
    }
  }

  /** @param follows an order that filled into this position and is no longer in the books */
  private *settleTicket(account: Settled, ticket: number, follows: FollowedOrder | null = null): Steps<void> {
    const { broker } = this;
    if (!account.book.owns(broker, ticket)) return;
    const read = this.reads.dealsOfPosition(ticket);
    const deals = read instanceof Promise ? yield* awaited(read) : read;
    yield* this.perform(account, account.handle(this.dealsOf(ticket, deals, follows)));
  }

  private dealsOf(ticket: number, deals: readonly DealRecord[], follows: FollowedOrder | null): SettlementEvent {
    const event = { type: 'deals', broker: this.broker, ticket, deals, follows } as const;
    return this.mayCostMore ? { ...event, mayCostMore: true } : event;
  }

  /** Reads the deals of positions again, open or closed: some may show what they cost only now. @throws what the reads throw */
  async readAgain(account: Settled, positions: readonly number[]): Promise<void> {
    for (const ticket of positions) {
      const deals = await this.reads.dealsOfPosition(ticket);
      for (const pending of this.perform(account, account.handle(this.dealsOf(ticket, deals, null)))) await pending;
    }
  }

  private *perform(account: Settled, effects: readonly CoreEffect[]): Steps<void> {
    const { broker } = this;
    for (const effect of effects) {
      switch (effect.type) {
        case 'read order':
          yield* this.readOrder(account, effect.ticket);
          break;
        case 'read external deals': {
          const { ticket, order, position } = effect;
          const read = this.reads.dealsOfPosition(position);
          const deals = read instanceof Promise ? yield* awaited(read) : read;
          const event = { type: 'external deals', broker, ticket, order, position, deals } as const;
          yield* this.perform(account, account.handle(event));
          break;
        }
        case 'read deals':
          yield* this.settleTicket(account, effect.ticket, effect.follows);
          break;
        default: {
          const performed = account.perform(effect);
          if (performed instanceof Promise) yield* awaited(performed);
        }
      }
    }
  }

  private *readOrder(account: Settled, ticket: number): Steps<void> {
    const { broker } = this;
    const read = this.reads.orderFromTicket(ticket);
    const order = read instanceof Promise ? yield* awaited(read) : read;
    const isInto = order !== null && order.position_id !== 0 && order.position_id !== ticket;
    const owner = isInto ? this.memory.ownerOf(broker, order.position_id) : null;
    const isHedging = this.account.isHedging();
    yield* this.perform(account, account.handle({ type: 'order', broker, ticket, order, owner, isHedging }));
  }
}

/** A value that comes later: yields what it waits for. */
function* awaited<Value>(value: Promise<Value>): Steps<Value> {
  const come: Value[] = [];
  yield value.then((it) => come.push(it));
  for (const it of come) return it;
  throw new Error('a settlement continued before a read or a write was done');
}
