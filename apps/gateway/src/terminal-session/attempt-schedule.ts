import type { Clock, Timer } from '@libs/clock';

/** When the next attempt is due. One at a time: whatever is set replaces what was set before. */
export class AttemptSchedule {
  private timer: Timer | null = null;
  /** Monotonic. */
  private dueAtMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  set(delayMs: number, run: () => void): void {
    this.cancel();
    this.dueAtMs = this.clock.monotonicMs() + delayMs;
    this.timer = this.clock.setTimer(delayMs, () => {
      this.dueAtMs = null;
      run();
    });
  }

  cancel(): void {
    this.timer?.cancel();
    this.dueAtMs = null;
  }

  /** Seconds until the next attempt, rounded up; 0 while none is set. */
  secondsLeft(): number {
    return this.dueAtMs === null ? 0 : Math.max(0, Math.ceil((this.dueAtMs - this.clock.monotonicMs()) / 1_000));
  }
}
