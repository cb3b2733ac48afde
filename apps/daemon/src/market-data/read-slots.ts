import type { Clock } from '@libs/clock';
import { Slots } from '../slots';

/** Reads at a time while the terminal is slow: no read may wait for its answer until it counts as lost. */
const fewest = 2;
/** Reads at a time of a terminal that is not: the bars of all symbols close at the same moment, and none should wait for another. */
const most = 16;
/** A read that takes longer than this is slow, after division by the number of those that ran beside it. */
const slowMs = 100;

/** Limits how many reads of a gateway run at a time, because its terminal takes one call at a time. */
export class ReadSlots {
  private readonly slots = new Slots(() => (this.isSlow ? fewest : most));
  /** Until a read has shown otherwise. */
  private isSlow = true;
  private running = 0;

  constructor(private readonly clock: Clock) {}

  /** Runs a read as soon as it has a slot. Resolves or rejects with its result. */
  take<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.slots.take(async () => {
      const beganMs = this.clock.monotonicMs();
      const beside = ++this.running;
      try {
        return await read();
      } finally {
        this.running--;
        this.isSlow = (this.clock.monotonicMs() - beganMs) / beside > slowMs;
      }
    });
  }
}
