import type { OwnedTicket } from './records';
import type { TrailEvent } from './core-event';
import type { CoreState, Turn } from './core-state';
import { openVolume } from './deal-booking';
import type { OrderFlow } from './order-flow';
import { targetOf } from './plan';
import {
  nextStop,
  trailOf,
  type Levels,
  followedOf,
  isTrailed,
  put,
  withQuote,
  type FollowedTrail,
  type TrailedTicket,
} from './trails';
import { sideOf } from './book-view';
import { isUnexplained } from './position-evidence';

type EventOf<Type extends TrailEvent['type']> = Extract<TrailEvent, { type: Type }>;

/** Wait after the account could not be read, or while an entry may change the position. */
const pauseMs = 1_000;

/** The trailing stops of one strategy. */
export class TrailFlow {
  constructor(
    private readonly state: CoreState,
    private readonly orders: OrderFlow,
  ) {}

  handle(event: TrailEvent, turn: Turn): void {
    switch (event.type) {
      case 'trail':
        return this.set(event.intent, turn);
      case 'price':
        return this.follow(event, turn);
      case 'trail turn':
        return this.move(event, turn);
    }
  }

  /** Sets the trail of a position, or ends it. */
  private set({ id, trail, ...target }: EventOf<'trail'>['intent'], turn: Turn): void {
    const { book } = this.state;
    const owned = targetOf(target, book);
    if (typeof owned === 'string') return this.orders.deny(id, owned, null, turn);
    if (trail === null) return isTrailed(owned) ? this.end(owned, turn) : undefined;
    const row = book.positionRow(owned.broker, owned.ticket);
    const side = row && !isUnexplained(owned, row) ? sideOf(row) : owned.side;
    if (side === undefined || (!row && openVolume(owned).lte(0))) {
      const reason = `order ${owned.ticket} has not filled: a trailing stop needs a position`;
      return this.orders.deny(id, reason, null, turn);
    }
    this.state.persist({ tickets: [{ ...owned, trail: trailOf(id, side, trail) }] }, turn);
  }

  /** Each trail of the symbol sees the quote, and asks for its turn when its stop-loss is to move. */
  private follow({ stream: alias, quote, terms }: EventOf<'price'>, turn: Turn): void {
    const { state } = this;
    const { book } = state;
    const stream = book.spec.streams.find((one) => one.alias === alias);
    for (const owned of book.openTickets) {
      if (!isTrailed(owned) || owned.broker !== stream?.broker || owned.symbol !== stream.symbol) continue;
      const levels = this.levelsOf(owned, turn);
      if (levels === null) continue;
      const seen = withQuote(followedOf(state.trails, owned), owned, quote, terms);
      const asks = !seen.isDue && this.isFree(seen, turn) && nextStop(owned.trail, levels, seen) !== null;
      state.trails = put(state.trails, asks ? { ...seen, isDue: true } : seen, book.openTickets);
      if (asks) turn.out.push({ type: 'trail', broker: owned.broker, ticket: owned.ticket });
    }
  }

  /** Moves the stop-loss, unless that was overtaken: a person may have set a nearer one. */
  private move({ broker, ticket, key, isCurrent, isNetting }: EventOf<'trail turn'>, turn: Turn): void {
    const { state } = this;
    const owned = state.book.find(broker, ticket);
    if (owned === null || !isTrailed(owned)) return;
    const seen = followedOf(state.trails, owned);
    if (seen === null) return;
    // The entry may reverse the position, or set a stop-loss of its own.
    const isCertain = isCurrent && !(isNetting === true && this.isEntering(owned));
    const pausedUntilMs = isCertain ? seen.pausedUntilMs : turn.at.monotonicMs + pauseMs;
    state.trails = put(state.trails, { ...seen, isDue: false, pausedUntilMs }, state.book.openTickets);
    const levels = this.levelsOf(owned, turn);
    if (levels === null || !isCertain || !this.isFree(seen, turn)) return;
    const sl = nextStop(owned.trail, levels, seen);
    if (sl === null) return;
    const intent = { id: seen.intentId, action: 'protect', position: ticket, broker, sl, isTrailing: true } as const;
    this.orders.handle({ type: 'intent', intent, circumstances: null, key }, turn);
  }

  /**
   * The levels of a trailed position; null while it has no row, or one of the other side that no deal explains. A position that
   * was reversed is another one: its trail ends.
   */
  private levelsOf(owned: TrailedTicket, turn: Turn): Levels | null {
    const row = this.state.book.positionRow(owned.broker, owned.ticket);
    if (!row || sideOf(row) === owned.trail.side) return row ?? null;
    if (isUnexplained(owned, row)) return null;
    this.end(owned, turn);
    turn.out.push({ type: 'warn', reason: `position ${owned.ticket} was reversed: its trailing stop has ended` });
    return null;
  }

  /** Whether nothing is in flight for its position, and it does not wait after a refusal. */
  private isFree({ broker, ticket, pausedUntilMs }: FollowedTrail, { at }: Turn): boolean {
    const { requests } = this.state.requests;
    return (
      at.monotonicMs >= pausedUntilMs &&
      !requests.some(({ record }) => record.broker === broker && record.ticket === ticket)
    );
  }

  /** Whether an entry of the symbol is in flight. */
  private isEntering({ broker, symbol }: OwnedTicket): boolean {
    const { requests } = this.state.requests;
    return requests.some(({ record }) => record.isEntry && record.broker === broker && record.symbol === symbol);
  }

  private end(owned: OwnedTicket, turn: Turn): void {
    const { trail: _, ...rest } = owned;
    this.state.persist({ tickets: [rest] }, turn);
  }
}
