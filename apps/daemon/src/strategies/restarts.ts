import { backoffMs, type Backoff, type Clock, type Timer } from '@libs/clock';

const waits: Backoff = { firstMs: 500, longestMs: 30_000 };
/** Running time after which a strategy counts as calm: a failure after it is a new one, with a short wait before its retry. */
const calmMs = 60_000;
/** Failures without a calm minute in between that are a crash loop. */
const failuresOfLoop = 3;

/** Why a strategy failed. */
export interface Failure {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly reason: string;
}

/** Restarts a failed strategy after growing delays, and counts the restarts. */
export class Restarts {
  /** Attempts to start the strategy after the first one, since it was deployed. */
  count = 0;
  lastFailure: Failure | null = null;
  /** When it last began to run, in milliseconds since the epoch; null before the first time. */
  startedAtMs: number | null = null;
  private timer: Timer | null = null;
  /** Tries since the wait was last the shortest. */
  private tries = 0;
  private hasBegun = false;
  private failures = 0;
  /** Since when it runs, on the monotonic clock; null while it does not. */
  private runsSinceMs: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly start: () => void,
  ) {}

  /** Failures since the strategy was last calm. */
  get failuresInARow(): number {
    return this.isCalm ? 0 : this.failures;
  }

  /** Whether the strategy is in a crash loop, even if it runs at the moment. */
  get isLooping(): boolean {
    return this.failuresInARow >= failuresOfLoop;
  }

  /** How long it has run since its last start, in milliseconds; 0 while it does not run. */
  get uptimeMs(): number {
    return this.runsSinceMs === null ? 0 : Math.round(this.clock.monotonicMs() - this.runsSinceMs);
  }

  /** An attempt to start begins. */
  begins(): void {
    if (this.hasBegun) this.count++;
    this.hasBegun = true;
  }

  /** The strategy runs from now on. */
  runs(): void {
    this.runsSinceMs = this.clock.monotonicMs();
    this.startedAtMs = this.clock.nowMs();
  }

  /** The strategy has ended, and has not failed. */
  ends(): void {
    this.runsSinceMs = null;
  }

  /**
   * The strategy has failed.
   * @param isOwn false if its gateway did not answer: the strategy did not crash
   * @returns how long to wait before the next attempt, in milliseconds
   */
  failed(reason: string, isOwn = true): number {
    if (this.isCalm) {
      this.startOver();
      this.failures = 0;
    }
    this.runsSinceMs = null;
    if (isOwn) this.failures++;
    this.lastFailure = { atMs: this.clock.nowMs(), reason };
    return backoffMs(this.tries++, waits);
  }

  /** Tries again after this wait, instead of any attempt that was planned. */
  tryAfter(waitMs: number): void {
    this.cancel();
    this.timer = this.clock.setTimer(waitMs, this.start);
  }

  /** The next wait is the shortest again. */
  startOver(): void {
    this.tries = 0;
  }

  cancel(): void {
    this.timer?.cancel();
  }

  private get isCalm(): boolean {
    return this.runsSinceMs !== null && this.clock.monotonicMs() - this.runsSinceMs > calmMs;
  }
}
