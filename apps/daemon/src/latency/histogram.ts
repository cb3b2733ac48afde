import { createHistogram } from 'node:perf_hooks';

/** An hour in nanoseconds; more counts as this. */
const highest = 3_600_000_000_000;

/**
 * Counts values for percentiles, in constant memory and time: the platform's HDR histogram with two significant digits.
 * A percentile is at least the true value and at most 1/64 above it; the maximum is exact.
 */
export class Histogram {
  max = 0;
  private readonly counts = createHistogram({ lowest: 1, highest, figures: 2 });

  get count(): number {
    return this.counts.count;
  }

  /** @param value counts as the nearer end when it is not between 1 and an hour of nanoseconds */
  record(value: number): void {
    const whole = Math.min(highest, Math.max(1, Math.round(value)));
    this.counts.record(whole);
    if (whole > this.max) this.max = whole;
  }

  /** The values at or below which the given shares of all values lie, each share 0 to 1; zeros while there are none. */
  percentiles(shares: readonly number[]): number[] {
    const { count } = this;
    if (count === 0) return shares.map(() => 0);
    return shares.map((share) => {
      // The platform rounds to the nearest rank, which for few values is below the share that is asked for.
      const rank = Math.max(1, Math.ceil(share * count));
      return Math.min(this.max, this.counts.percentile((rank / count) * 100));
    });
  }
}
