import { Clock, type Timer } from '@libs/clock';

/** Real time, so that real child processes fit in, but `speed` times as fast; remembers every delay asked of it. */
export class HurriedClock extends Clock {
  readonly delays: number[] = [];

  private since = { realMs: performance.now(), ms: 0 };

  /** @param startMs milliseconds since the epoch */
  constructor(
    private speed: number,
    private readonly startMs = Date.UTC(2024, 0, 1),
  ) {
    super();
  }

  /** Timers set from now on run at `speed`: for a wait whose length another program decides, on a machine that may be busy. */
  runAt(speed: number): void {
    this.since = { realMs: performance.now(), ms: this.monotonicMs() };
    this.speed = speed;
  }

  nowMs(): number {
    return this.startMs + this.monotonicMs();
  }

  monotonicMs(): number {
    return this.since.ms + (performance.now() - this.since.realMs) * this.speed;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    this.delays.push(delayMs);
    const handle = setTimeout(run, delayMs / this.speed);
    return { cancel: () => clearTimeout(handle) };
  }
}
