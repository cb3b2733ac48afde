import { createHistogram } from 'node:perf_hooks';

/** The way of an order, from the market's news to the broker's answer. */
export type Stage =
  'tick_to_strategy' | 'strategy' | 'signal_to_submission' | 'submission_to_fill' | 'tick_to_submission';

/** Percentiles to 1/64, never too low; the maximum is exact. */
interface LatencySnapshot {
  readonly count: number;
  readonly p50Nanos: number;
  readonly p95Nanos: number;
  readonly p99Nanos: number;
  readonly maxNanos: number;
}

/** How long each stage takes for each strategy, since its start; keeps nothing while tracking is off. */
export class LatencyBook {
  private readonly strategies = new Map<string, Map<Stage, Histogram>>();

  constructor(readonly enabled: boolean) {}

  /** @param nanos a difference on one monotonic clock; what comes out below 1 counts as 1 */
  record(strategy: string, stage: Stage, nanos: number): void {
    if (!this.enabled) return;
    let histograms = this.strategies.get(strategy);
    if (!histograms) this.strategies.set(strategy, (histograms = new Map<Stage, Histogram>()));
    let histogram = histograms.get(stage);
    if (!histogram) histograms.set(stage, (histogram = new Histogram()));
    histogram.record(nanos);
  }

  forget(strategy: string): void {
    this.strategies.delete(strategy);
  }

  snapshotOf(strategy: string): Partial<Record<Stage, LatencySnapshot>> {
    const histograms = this.strategies.get(strategy);
    if (!histograms) return {};
    return Object.fromEntries([...histograms].map(([stage, histogram]) => [stage, snapshot(histogram)]));
  }

  /** Body of `GET /latency`. */
  report(): { enabled: boolean; strategies: Record<string, Partial<Record<Stage, LatencySnapshot>>> } {
    const names = [...this.strategies.keys()];
    return {
      enabled: this.enabled,
      strategies: Object.fromEntries(names.map((name) => [name, this.snapshotOf(name)])),
    };
  }
}

function snapshot(histogram: Histogram): LatencySnapshot {
  const [p50Nanos = 0, p95Nanos = 0, p99Nanos = 0] = histogram.percentiles([0.5, 0.95, 0.99]);
  return { count: histogram.count, p50Nanos, p95Nanos, p99Nanos, maxNanos: histogram.max };
}

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
