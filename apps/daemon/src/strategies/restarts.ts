import type { Clock, Timer } from '@libs/clock';

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A strategy that has run for so long is calm: a failure after it is a new one, and its first retry comes soon again. */
const calmMs = 60_000;
/** Failures without a calm minute in between that are a crash loop. */
const failuresOfLoop = 3;

/** Why a strategy failed. */
export interface Failure {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly reason: string;
}

/** When a failed strategy is tried again, after waits that grow however it fails; and how often that was necessary. */
export class Restarts {
  /** Attempts to start the strategy after the first one, since it was deployed. */
  count = 0;
  lastFailure: Failure | null = null;
  /** When it last began to run, in milliseconds since the epoch; null before the first time. */
  startedAtMs: number | null = null;
  private timer: Timer | null = null;
  private waitMs = firstWaitMs;
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

  /** Whether it fails again and again, though it may run at the moment. */
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

  /** The strategy runs no more, and has not failed. */
  ends(): void {
    this.runsSinceMs = null;
  }

  /** The strategy has failed. @returns how long to wait before the next attempt, in milliseconds */
  failed(reason: string): number {
    if (this.isCalm) {
      this.startOver();
      this.failures = 0;
    }
    this.runsSinceMs = null;
    this.failures++;
    this.lastFailure = { atMs: this.clock.nowMs(), reason };
    const { waitMs } = this;
    this.waitMs = Math.min(longestWaitMs, waitMs * 2);
    return waitMs;
  }

  /** Tries again after this wait, instead of any attempt that was planned. */
  tryAfter(waitMs: number): void {
    this.cancel();
    this.timer = this.clock.setTimer(waitMs, this.start);
  }

  /** The next wait is the shortest again. */
  startOver(): void {
    this.waitMs = firstWaitMs;
  }

  cancel(): void {
    this.timer?.cancel();
  }

  private get isCalm(): boolean {
    return this.runsSinceMs !== null && this.clock.monotonicMs() - this.runsSinceMs > calmMs;
  }
}
