import type { Quote } from '@libs/strategy';
import type { TrailRecord } from '../../core/records';
import { better, exitPrice, mayMove, nextStop, type Levels, type StopTerms } from '../../core/trails';

/** The trailing stop of a position: the daemon's own rule, asked where the stop-loss may move. */
export class KernelTrail {
  /** Best price of the position since the trail began; null before its first quote. */
  private best: number | null = null;

  constructor(
    readonly record: TrailRecord,
    private readonly terms: StopTerms,
  ) {}

  /** Notes a quote. @returns where the stop-loss moves to; null if it stays */
  follow(levels: Levels, quote: Quote): number | null {
    const best = this.bestWith(exitPrice(this.record.side, quote));
    this.best = best;
    return nextStop(this.record, levels, { best, quote, terms: this.terms });
  }

  /** Whether the stop-loss stays at each of some quotes. @param price the best one of them, to close at */
  staysUpTo(price: number, levels: Levels): boolean {
    return (
      this.best !== null && !mayMove(this.record, levels, { best: this.bestWith(price), price, terms: this.terms })
    );
  }

  /** Notes the best of some quotes at which the stop-loss stays. */
  note(price: number): void {
    this.best = this.bestWith(price);
  }

  private bestWith(price: number): number {
    return this.best === null ? price : better(this.record.side, this.best, price);
  }
}
