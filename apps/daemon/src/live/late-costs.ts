import type { Clock } from '@libs/clock';
import type { StrategyBook } from '../core/strategy-book';

/** How long deals are read again, milliseconds. A terminal shows costs within seconds. */
const lateMs = 600_000;

/** Which positions have deals that may show their costs only now: those of the last ten minutes, or since the start of the process. */
export class LateCosts {
  /** Monotonic time at which each deal was seen first, in milliseconds, by deal. */
  private readonly seen = new WeakMap<StrategyBook, ReadonlyMap<number, number>>();

  constructor(
    private readonly broker: string,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** Positions, by their tickets in the books. */
  positionsOf(book: StrategyBook): readonly number[] {
    const nowMs = this.clock.monotonicMs();
    const before = this.seen.get(book);
    const booked = (book.record.lately ?? []).filter(({ broker }) => broker === this.broker);
    const seen = new Map(booked.map(({ deal }) => [deal, before?.get(deal) ?? nowMs]));
    this.seen.set(book, seen);
    const young = booked.filter(({ deal }) => nowMs - (seen.get(deal) ?? nowMs) < lateMs);
    return [...new Set(young.map(({ position }) => position))];
  }
}
