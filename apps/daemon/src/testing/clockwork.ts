import { VirtualClock } from '@libs/clock';

const stepMs = 250;

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

  /** Has the clock run until something is so. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.run(stepMs);
  }

  async run(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await this.clock.advance(ms);
  }
}
