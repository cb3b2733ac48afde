import type { Quote } from '@libs/strategy';
import type { Age } from '../core/strategy-event';
import { MarketTime } from './market-time';

/** A quote with the clocks it was stamped by. */
export interface StampedQuote {
  readonly quote: Quote;
  /** Its time on the broker's clock, which orders quotes whatever is known of that clock's offset; in milliseconds. */
  readonly serverMs: number;
  /** Its time in UTC; null when the broker's zone is unknown. */
  readonly utcMs: number | null;
}

/** A symbol is stale after this, or after {@link gapsUntilStale} times its usual gap, whichever is longer. */
const leastStaleMs = 10_000;
const gapsUntilStale = 5;
/** While newer quotes came within this, an older one is a late answer; after it, the broker's clock was set back. */
const lateMs = 10_000;
/** Weight of the newest gap in the usual one. */
const smoothing = 0.1;

/** State of one symbol's prices: the last quote, its age, and its clock skew. */
export class SymbolWatch {
  quote: Quote | null = null;
  /** Broker's clock less ours when the last new quote came; null when the broker's zone is unknown. */
  skewMs: number | null = null;
  private heardMs: number | null = null;
  private serverMs = -Infinity;
  private usualGapMs = 0;
  private readonly marketTime = new MarketTime();

  /**
   * Takes over a quote. False if it is not newer than the last one.
   * @param monotonicMs when it came
   * @param nowMs the wall clock
   */
  see(stamped: StampedQuote, monotonicMs: number, nowMs: number): boolean {
    if (this.isKnown(stamped) || this.isLate(stamped, monotonicMs)) return false;
    const { quote, serverMs, utcMs } = stamped;
    this.quote = quote;
    this.serverMs = serverMs;
    if (this.heardMs !== null) {
      // Silence of the feed, or a weekend, does not count as a usual gap.
      const gapMs = Math.min(monotonicMs - this.heardMs, this.staleAfterMs);
      this.usualGapMs += (gapMs - this.usualGapMs) * (this.usualGapMs === 0 ? 1 : smoothing);
      // The first quote may be from before the weekend; only quotes received live show the time.
      this.skewMs = utcMs === null ? null : utcMs - nowMs;
    }
    this.heardMs = monotonicMs;
    this.marketTime.note(serverMs, monotonicMs);
    return true;
  }

  /** How long ago it was this time on the broker's clock; null before the first quote. */
  ageOf(serverMs: number, monotonicMs: number): Age | null {
    return this.marketTime.ageOf(serverMs, monotonicMs);
  }

  /** An instant on the broker's clock, by the offset of the last quote; null before the first. @param timeMs null: its time */
  serverTimeOf(timeMs: number | null): number | null {
    if (this.quote === null) return null;
    return this.serverMs + (timeMs === null ? 0 : timeMs - this.quote.timeMs);
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

  private isKnown({ quote: { bid, ask }, serverMs }: StampedQuote): boolean {
    return serverMs <= this.serverMs && bid === this.quote?.bid && ask === this.quote.ask;
  }

  private isLate({ serverMs }: StampedQuote, monotonicMs: number): boolean {
    return this.heardMs !== null && serverMs < this.serverMs && monotonicMs - this.heardMs < lateMs;
  }
}
