import { Clock, type Timer } from '@libs/clock';

/** Real time, so that real child processes fit in, but `speed` times as fast; remembers every delay asked of it. */
export class HurriedClock extends Clock {
  readonly delays: number[] = [];

  private readonly bornMs = performance.now();
  private calm: { sinceMs: number } | null = null;

  constructor(private readonly speed: number) {
    super();
  }

  /** From now on as fast as real time: for a wait whose length another program decides, on a machine that may be busy. */
  calmDown(): void {
    this.calm ??= { sinceMs: performance.now() };
  }

  nowMs(): number {
    return Date.UTC(2024, 0, 1) + this.monotonicMs();
  }

  monotonicMs(): number {
    const nowMs = performance.now();
    const calmMs = this.calm ? nowMs - this.calm.sinceMs : 0;
    return (nowMs - this.bornMs - calmMs) * this.speed + calmMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    this.delays.push(delayMs);
    const handle = setTimeout(run, this.calm ? delayMs : delayMs / this.speed);
    return { cancel: () => clearTimeout(handle) };
  }
}
