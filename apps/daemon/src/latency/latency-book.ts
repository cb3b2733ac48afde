import { Histogram } from './histogram';

/** The way of an order, from the market's news to the broker's answer. */
export type Stage =
  'tick_to_strategy' | 'strategy' | 'signal_to_submission' | 'submission_to_fill' | 'tick_to_submission';

/** Percentiles to 1/64, never too low; the maximum is exact. */
export interface LatencySnapshot {
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
