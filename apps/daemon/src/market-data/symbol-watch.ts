import type { Quote } from '@libs/strategy';

/** A symbol is stale after this, or after {@link gapsUntilStale} times its usual gap, whichever is longer. */
const leastStaleMs = 10_000;
const gapsUntilStale = 5;
/** While newer quotes came within this, an older one is a late answer; after it, the broker's clock was set back. */
const lateMs = 10_000;
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
    if (this.isKnown(quote) || this.isLate(quote, monotonicMs)) return false;
    this.quote = quote;
    if (this.heardMs !== null) {
      // What was silence, of the feed or of a weekend, is no usual gap.
      const gapMs = Math.min(monotonicMs - this.heardMs, this.staleAfterMs);
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
    return ageMs === null || ageMs > this.staleAfterMs;
  }

  private get staleAfterMs(): number {
    return Math.max(leastStaleMs, gapsUntilStale * this.usualGapMs);
  }

  private isKnown({ timeMs, bid, ask }: Quote): boolean {
    const { quote } = this;
    return quote !== null && timeMs <= quote.timeMs && bid === quote.bid && ask === quote.ask;
  }

  private isLate({ timeMs }: Quote, monotonicMs: number): boolean {
    const { quote, heardMs } = this;
    return quote !== null && heardMs !== null && timeMs < quote.timeMs && monotonicMs - heardMs < lateMs;
  }
}
