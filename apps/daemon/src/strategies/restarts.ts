import type { Clock, Timer } from '@libs/clock';

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Having run for so long, a failure is a new one: its first retry comes soon again. */
const calmMs = 60_000;

/** When a failed strategy is tried again: after waits that grow, however it fails. */
export class Restarts {
  private timer: Timer | null = null;
  private waitMs = firstWaitMs;
  /** Since when it runs, on the monotonic clock; null while it does not. */
  private runsSinceMs: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly start: () => void,
  ) {}

  /** The strategy runs from now on. */
  runs(): void {
    this.runsSinceMs = this.clock.monotonicMs();
  }

  /** The strategy has failed. @returns how long to wait before the next attempt, in milliseconds */
  failed(): number {
    const { runsSinceMs } = this;
    this.runsSinceMs = null;
    if (runsSinceMs !== null && this.clock.monotonicMs() - runsSinceMs > calmMs) this.startOver();
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
}
