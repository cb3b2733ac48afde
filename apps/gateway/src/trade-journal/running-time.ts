import type { Clock } from '@libs/clock';

/**
 * Total running time of the gateways on this journal, milliseconds. It follows the monotonic clock and is stored with
 * every write, so downtime does not count and changes of the wall clock have no effect. A crash loses at most the time
 * since the last write, so entries are kept longer, never shorter.
 */
export class RunningTime {
  private readonly startMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly storedMs: number,
  ) {
    this.startMs = clock.monotonicMs();
  }

  nowMs(): number {
    return this.storedMs + Math.floor(this.clock.monotonicMs() - this.startMs);
  }
}
