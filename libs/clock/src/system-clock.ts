import { Clock, type Timer } from './clock';

/** The platform runs longer timers at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clock. */
export class SystemClock extends Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  setTimer(delayMs: number, run: () => void): Timer {
    let handle: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const next = leftMs > longestTimerMs ? () => wait(leftMs - longestTimerMs) : run;
      handle = setTimeout(next, Math.min(leftMs, longestTimerMs));
    };
    wait(delayMs);
    return { cancel: () => clearTimeout(handle) };
  }
}
