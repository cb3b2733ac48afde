import type { Clock } from '@libs/clock';
import type { DealRecord } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import { isTrade, realizedBy } from '../core/deal-booking';
import type { StrategyBook } from '../core/strategy-book';

/** How long after its deals were read first a position is read again, milliseconds. A terminal shows costs within seconds. */
const lateMs = 600_000;

interface Booked {
  readonly readMs: number;
  /** What each deal brought when it was last read, by deal. */
  readonly deals: Map<number, Decimal>;
}

/**
 * What deals brought when they were booked. Some terminals show the commission and the fee of a deal later than the deal. A process
 * knows of the deals that it has read itself.
 */
export class LateCosts {
  /** By ticket of the position, the earliest first. */
  private readonly booked = new WeakMap<StrategyBook, Map<number, Booked>>();

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** Notes the deals of a position that are booked now. @returns by how much they bring more than when they were booked */
  note(book: StrategyBook, ticket: number, deals: readonly DealRecord[]): Decimal {
    const ofBook = this.booked.get(book) ?? new Map<number, Booked>();
    this.booked.set(book, ofBook);
    this.forget(ofBook);
    const known = ofBook.get(ticket) ?? { readMs: this.clock.monotonicMs(), deals: new Map<number, Decimal>() };
    ofBook.set(ticket, known);
    let late = new Decimal(0);
    for (const deal of deals.filter(isTrade)) {
      const now = realizedBy(deal);
      late = late.plus(now.minus(known.deals.get(deal.ticket) ?? now));
      known.deals.set(deal.ticket, now);
    }
    return late;
  }

  /** The positions whose deals may show more costs. */
  ticketsOf(book: StrategyBook): readonly number[] {
    const ofBook = this.booked.get(book) ?? new Map<number, Booked>();
    this.forget(ofBook);
    return [...ofBook.keys()];
  }

  private forget(ofBook: Map<number, Booked>): void {
    const nowMs = this.clock.monotonicMs();
    for (const [ticket, { readMs }] of ofBook) if (nowMs - readMs >= lateMs) ofBook.delete(ticket);
  }
}
