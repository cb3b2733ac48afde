import type { DealRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import type { OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import { isWorking } from '../core/deal-booking';
import { endedTicket, goneOf, orderEnd, positionTicket, type OrderFacts } from '../core/order-end';
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

/** The books to settle, and the callbacks of the settlement. */
export interface Settled {
  readonly book: StrategyBook;
  /** The intent that caused a deal, if known. */
  intentOf(broker: string, deal: DealRecord): string | null;
  /** Number of requests to a gateway with unknown outcome: the broker may already have executed them. */
  inFlightOn(broker: string): number;
  /**
   * Takes over a change, at once, and makes it durable, with all that the fills it books bring about. False when it
   * could not be made durable.
   */
  commit(change: Change, fills?: readonly Fill[]): boolean | Promise<boolean>;
  onFills(fills: readonly Fill[]): void;
  onOrderGone(gone: OrderGone): void;
  /** An order filled into a position that the strategy did not open, as on netting accounts. */
  onForeignPosition(broker: string, position: number): void | Promise<void>;
}

/** Known tickets of all strategies, open or closed. */
export interface TicketMemory {
  /** The strategy that owns or owned it; null for an external one. */
  ownerOf(broker: string, ticket: number): string | null;
}

/** A part of the settlement: yields what it waits for, and goes on when that is done. */
type Steps<Result> = Generator<Promise<unknown>, Result, void>;

/**
 * Books deals and ended orders of one broker until books and rows agree. Each deal is booked once. Where reads and commits are
 * promises, the settlement waits for each; where they are not, it is done at once.
 */
export class Settlement {
  constructor(
    private readonly account: SettledBroker,
    private readonly memory: TicketMemory,
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
      throw new Error('settleNow needs reads and commits that are not promises');
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

  /** @param follows an order that filled into this position and is not in the books any more */
  private *settleTicket(account: Settled, ticket: number, follows?: OwnedTicket): Steps<void> {
    const { book } = account;
    const { broker } = this;
    if (!book.owns(broker, ticket)) return;
    const deals = yield* done(this.reads.dealsOfPosition(ticket));
    const { change, fills } = book.booking(broker, ticket, deals, (deal) => {
      return account.intentOf(broker, deal) ?? (deal.order === follows?.ticket ? follows.intentId : null);
    });
    if (change.tickets) yield* done(account.commit(change, fills));
    book.noteBooked(broker, ticket, deals);
    if (fills.length > 0) account.onFills(fills);
    const owned = book.find(broker, ticket);
    const isOpenEnded = owned !== null && (isWorking(owned) || owned.volumeIn === '0');
    if (isOpenEnded && !book.orderRow(broker, ticket)) yield* this.followOrder(account, ticket);
  }

  /** An order that no longer waits has ended: filled, in part, or not at all, into a position of its own or another. */
  private *followOrder(account: Settled, ticket: number): Steps<void> {
    const { book } = account;
    const order = yield* done(this.reads.orderFromTicket(ticket));
    const owned = book.find(this.broker, ticket);
    if (!owned || !order) return;
    const isSeen = book.positionRow(this.broker, ticket) !== undefined;
    const end = orderEnd(owned, order, { isHedging: this.account.isHedging(), isSeen });
    if (end.kind === 'not yet') return;
    if (end.kind === 'into' && !(yield* this.followInto(account, owned, end.position))) return;
    if (end.kind === 'over' && end.changed) yield* done(account.commit({ tickets: [end.changed] }));
    // Emitted once, however late its deals arrive.
    const gone = goneOf(owned, order);
    if (gone) account.onOrderGone(gone);
  }

  /** Netting: the order filled into the position that was there. False while the broker does not show its deal yet. */
  private *followInto(account: Settled, owned: OwnedTicket, position: number): Steps<boolean> {
    const { broker } = this;
    const ended = endedTicket(owned);
    const owner = this.memory.ownerOf(broker, position);
    if (owner !== null || account.book.owns(broker, position)) {
      yield* done(account.commit({ tickets: [ended] }));
      if (owner !== null && owner !== owned.strategy) yield* done(account.onForeignPosition(broker, position));
    } else {
      // An in-flight request may have opened it; wait for its answer.
      if (account.inFlightOn(broker) > 0) return false;
      const before = positionTicket(owned, position, yield* done(this.reads.dealsOfPosition(position)));
      if (before === null) return false;
      yield* done(account.commit({ tickets: [ended, before] }));
      yield* done(account.onForeignPosition(broker, position));
    }
    yield* this.settleTicket(account, position, owned);
    return true;
  }
}

/** A value that may come later: yields what it waits for. */
function* done<Value>(value: Value | Promise<Value>): Steps<Value> {
  if (!(value instanceof Promise)) return value;
  const come: Value[] = [];
  yield value.then((it) => come.push(it));
  for (const it of come) return it;
  throw new Error('a settlement went on before a read or a commit was done');
}
