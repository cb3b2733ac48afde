import { backoffMs } from '@libs/clock';

/**
 * Delays between reads: short enough to find a bar soon after its close, long enough to limit the load of the gateway.
 */
const shortestMs = 5;
const longestMs = 1_000;
/** The first delay while the pace is unknown; it doubles with each look. */
const firstMs = 50;
/** Looks per bar. */
const looksPerBar = 10;
/** Number of the last bars that determine the pace; the fastest counts, so that a pause in the market has no effect. */
const remembered = 5;

/**
 * How quickly bars come, learned from the bars themselves: a replay may run hundreds of times faster than the clock.
 */
export class BarPace {
  private readonly paces: number[] = [];
  private lastSeenMs: number | null = null;
  private looks = 0;

  /** Notes that `count` new bars were found at `nowMs` of a monotonic clock. */
  note(count: number, nowMs: number): void {
    if (this.lastSeenMs !== null) {
      this.paces.push((nowMs - this.lastSeenMs) / count);
      if (this.paces.length > remembered) this.paces.shift();
    }
    this.lastSeenMs = nowMs;
  }

  /** Notes that bars were looked for. */
  looked(): void {
    this.looks++;
  }

  /** How long to wait before looking again. */
  get waitMs(): number {
    if (this.paces.length === 0) return backoffMs(this.looks, { firstMs, longestMs });
    return Math.min(longestMs, Math.max(shortestMs, Math.min(...this.paces) / looksPerBar));
  }
}
