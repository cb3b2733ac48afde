import type { Clock } from '@libs/clock';

/**
 * Milliseconds for which gateways have run on this journal, all restarts added up. It counts by the monotonic clock and
 * is stored with every write, so downtime does not count and no change of the wall clock upsets it. A crash loses at
 * most the time since the last write: what is kept by it is kept longer, never shorter.
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
