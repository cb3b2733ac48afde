/** A scheduled call that can be cancelled. */
export interface Timer {
  /** Cancels the call; harmless if it has already run. */
  cancel(): void;
}

/**
 * The only source of time in domain code, injected so that a test can step through a five-minute outage at once.
 * An abstract class, so that it is its own dependency-injection token.
 */
export abstract class Clock {
  /** The wall clock, in milliseconds since the epoch, UTC. It jumps when an operator sets it. */
  abstract nowMs(): number;

  /** A clock that never goes back, in milliseconds from an arbitrary start, for durations and deadlines. */
  abstract monotonicMs(): number;

  /** Calls `run` once, `delayMs` from now. */
  abstract setTimer(delayMs: number, run: () => void): Timer;

  /** Resolves `delayMs` from now. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.setTimer(delayMs, resolve));
  }

  /** Calls `run` every `periodMs`, first after one period, until cancelled. A function gives each period when it begins. */
  every(periodMs: number | (() => number), run: () => void): Timer {
    let next: Timer;
    const schedule = (): void => {
      next = this.setTimer(typeof periodMs === 'number' ? periodMs : periodMs(), () => {
        schedule();
        run();
      });
    };
    schedule();
    return { cancel: () => next.cancel() };
  }
}
