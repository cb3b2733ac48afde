import { Clock, type Timer } from '@libs/clock';

/** Real time, so that real child processes fit in, but `speed` times as fast; remembers every delay asked of it. */
export class HurriedClock extends Clock {
  readonly delays: number[] = [];

  constructor(private readonly speed: number) {
    super();
  }

  nowMs(): number {
    return Date.UTC(2024, 0, 1) + this.monotonicMs();
  }

  monotonicMs(): number {
    return performance.now() * this.speed;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    this.delays.push(delayMs);
    const handle = setTimeout(run, delayMs / this.speed);
    return { cancel: () => clearTimeout(handle) };
  }
}
