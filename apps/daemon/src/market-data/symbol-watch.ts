import type { Quote } from '@libs/strategy';

/** A symbol is stale after this, or after {@link gapsUntilStale} times its usual gap, whichever is longer. */
const leastStaleMs = 10_000;
const gapsUntilStale = 5;
/** Weight of the newest gap in the usual one. */
const smoothing = 0.1;

/** What is known of one symbol's prices: the last quote, how old it is, and how far its clock is from ours. */
export class SymbolWatch {
  quote: Quote | null = null;
  /** Broker's clock less ours when the last new quote came; null when the broker's zone is unknown. */
  skewMs: number | null = null;
  private heardMs: number | null = null;
  private usualGapMs = 0;

  /**
   * Takes over a quote. False when it is none that is new.
   * @param utcMs the quote's time in UTC; null when the broker's zone is unknown
   * @param monotonicMs when it came
   * @param nowMs the wall clock
   */
  see(quote: Quote, utcMs: number | null, monotonicMs: number, nowMs: number): boolean {
    const before = this.quote;
    if (before && quote.timeMs <= before.timeMs && quote.bid === before.bid && quote.ask === before.ask) return false;
    this.quote = quote;
    if (this.heardMs !== null) {
      const gapMs = monotonicMs - this.heardMs;
      this.usualGapMs += (gapMs - this.usualGapMs) * (this.usualGapMs === 0 ? 1 : smoothing);
      // The first quote may be from before the weekend; only one that came while we listened tells the time.
      this.skewMs = utcMs === null ? null : utcMs - nowMs;
    }
    this.heardMs = monotonicMs;
    return true;
  }

  /** How long ago the last new quote came; null when none has. */
  ageMs(monotonicMs: number): number | null {
    return this.heardMs === null ? null : monotonicMs - this.heardMs;
  }

  isStale(monotonicMs: number): boolean {
    const ageMs = this.ageMs(monotonicMs);
    return ageMs === null || ageMs > Math.max(leastStaleMs, gapsUntilStale * this.usualGapMs);
  }
}
