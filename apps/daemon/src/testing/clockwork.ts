import { VirtualClock } from '@libs/clock';
import { isWorking } from './real-work';

const stepMs = 250;
/** A request that is not answered in this time is one that its test leaves without an answer. */
const longestWaitMs = 2_000;

/** A virtual clock that runs while something real, as a socket, is waited for. */
export class Clockwork {
  readonly clock: VirtualClock;

  constructor(startMs?: number) {
    this.clock = new VirtualClock(startMs);
  }

  /** Has the clock run until something is done. */
  async inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    await this.until(() => isDone);
    return work;
  }

  /** Runs the clock until a condition holds. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.run(stepMs);
  }

  /** Runs the clock, once all requests are answered and all writes are on disk. */
  async run(ms: number): Promise<void> {
    const sinceMs = performance.now();
    do await new Promise((resolve) => setTimeout(resolve, 2));
    while (isWorking() && performance.now() - sinceMs < longestWaitMs);
    await this.clock.advance(ms);
  }
}
