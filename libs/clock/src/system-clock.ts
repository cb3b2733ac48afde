import { Clock, type Timer } from './clock';

/** The machine's own clock. */
export class SystemClock extends Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  }
}
