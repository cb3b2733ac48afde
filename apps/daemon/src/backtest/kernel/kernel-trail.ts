import type { Quote } from '@libs/strategy';
import type { TrailRecord } from '../../core/records';
import { better, exitPrice, nextStop, type Levels, type StopTerms } from '../../core/trails';

/** The trailing stop of a position: the daemon's own rule, asked where the stop-loss may move. */
export class KernelTrail {
  /** Best price of the position since the trail began; null before its first quote. */
  private best: number | null = null;
  /** Least distance of a stop-loss from the price. */
  private readonly room: number;
  /** More than doubles are off by, and less than a price can differ by. */
  private readonly slack: number;

  constructor(
    readonly record: TrailRecord,
    private readonly terms: StopTerms,
  ) {
    this.room = Math.max(terms.stopsDistance, terms.tickSize);
    this.slack = terms.tickSize / 1_000;
  }

  /** Notes a quote. @returns where the stop-loss moves to; null if it stays */
  follow(levels: Levels, quote: Quote): number | null {
    const price = exitPrice(this.record.side, quote);
    const best = this.bestWith(price);
    this.best = best;
    return this.mayMove(levels, best, price) ? nextStop(this.record, levels, { best, quote, terms: this.terms }) : null;
  }

  /** Whether the stop-loss stays at each of some quotes. @param price the best one of them, to close at */
  staysUpTo(price: number, levels: Levels): boolean {
    return this.best !== null && !this.mayMove(levels, this.bestWith(price), price);
  }

  /** Notes the best of some quotes at which the stop-loss stays. */
  note(price: number): void {
    this.best = this.bestWith(price);
  }

  private bestWith(price: number): number {
    return this.best === null ? price : better(this.record.side, this.best, price);
  }

  /** False where the stop-loss stays for sure. Neither a lower best price nor a lower price makes it move. */
  private mayMove({ price_open: entry, sl }: Levels, best: number, price: number): boolean {
    const { side, distance, step, activateAt } = this.record;
    const sign = side === 'buy' ? 1 : -1;
    if (activateAt !== null && sign * (best - entry) < activateAt - this.slack) return false;
    if (sl === 0) return true;
    return (
      sign * (better(side === 'buy' ? 'sell' : 'buy', best - sign * distance, price - sign * this.room) - sl) >=
      step - this.slack
    );
  }
}
