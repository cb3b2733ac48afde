import type { Quote } from '@libs/strategy';
import type { Age } from '../core/strategy-event';

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

interface Sample {
  readonly serverMs: number;
  readonly monotonicMs: number;
}

/** Samples are kept this far apart. */
const apartMs = 1_000;
/** Quotes lag behind the bars of their symbol by no more than this. */
const lagMs = 10_000;
/** By how much a clock is set back at the end of summer time. */
const setBackMs = 3_600_000;
/** Samples that are kept: about a minute of them, several times what an age is compared with. */
const most = 64;

/**
 * Which time it was on a symbol's market at which moment of the daemon's clock, learned from its quotes. The two run at
 * different speeds where a simulated or replayed market is faster than the clock.
 */
export class MarketTime {
  private readonly kept: Sample[] = [];
  private latest: Sample | null = null;

  /** Notes that a quote of this time came at this moment. */
  note(serverMs: number, monotonicMs: number): void {
    const { kept, latest } = this;
    // The broker's clock was set back: what was learned before does not apply.
    if (latest && serverMs < latest.serverMs) kept.length = 0;
    this.latest = { serverMs, monotonicMs };
    const last = kept.at(-1);
    if (last && monotonicMs - last.monotonicMs < apartMs) return;
    kept.push(this.latest);
    if (kept.length > most) kept.shift();
  }

  /** How long ago it was this time on the market; 0 when it has not been yet. Null before the first quote. */
  ageOf(serverMs: number, monotonicMs: number): Age | null {
    if (!this.latest) return null;
    const momentMs = this.momentOf(serverMs, this.latest);
    const marketMs = marketMsSince(serverMs, this.latest.serverMs);
    // Up to the latest quote: a market that has stopped since, as a replay does at its end, was as fast before.
    const ranMs = this.latest.monotonicMs - momentMs;
    const speed = marketMs > 0 && ranMs > 0 ? marketMs / ranMs : 1;
    return { marketMs, realMs: Math.max(0, monotonicMs - momentMs), speed };
  }

  /** When it was this time: between two samples time is taken to have run evenly, as it does in an outage. */
  private momentOf(serverMs: number, latest: Sample): number {
    const samples = [...this.kept, latest];
    const after = samples.findIndex((sample) => sample.serverMs > serverMs);
    if (after === -1) return latest.monotonicMs;
    const [from, to] = [samples[after - 1], samples[after]];
    if (!from || !to) return samples[0]?.monotonicMs ?? latest.monotonicMs;
    const share = (serverMs - from.serverMs) / (to.serverMs - from.serverMs);
    return from.monotonicMs + share * (to.monotonicMs - from.monotonicMs);
  }
}

/** A time that is later than the newest quote was before the clock was set back, unless the quotes lag behind it. */
function marketMsSince(serverMs: number, latestMs: number): number {
  const aheadMs = serverMs - latestMs;
  return aheadMs > lagMs && aheadMs < setBackMs ? setBackMs - aheadMs : Math.max(0, -aheadMs);
}
