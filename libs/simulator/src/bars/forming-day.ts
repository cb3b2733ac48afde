import { Timeframe } from '@libs/terminal-client';
import type { ServerClock } from '../time/server-clock';
import { type BarRow, BarRows } from './bar-rows';
import { bucketStart } from './buckets';
import type { MinuteBars } from './minute-bars';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor } = Math;

const MINUTE_MS = 60_000;

/** The server day's bar so far, kept up minute by minute: every read of a symbol's record wants its extremes. */
export class FormingDay {
  private open = Number.NaN;
  private whole = new BarRows(1);
  /** Number of the first minute that is not in `whole`. */
  private nextMinute = 0;

  constructor(
    private readonly minutes: MinuteBars,
    private readonly clock: ServerClock,
  ) {}

  /** The day's bar up to an instant, or null when it has had no quote. */
  at(nowMs: number): BarRow | null {
    const open = bucketStart(Timeframe.D1, floor(this.clock.serverMs(nowMs) / 1_000));
    const current = floor(nowMs / MINUTE_MS);
    if (open !== this.open || current < this.nextMinute) {
      this.open = open;
      this.whole = new BarRows(1);
      this.nextMinute = floor(this.clock.utcMs(open * 1_000) / MINUTE_MS);
    }
    this.minutes.fold(this.whole, open, this.nextMinute, current - 1, nowMs);
    this.nextMinute = current;
    const bar = new BarRows(1);
    if (this.whole.count > 0) bar.add(this.whole, 0, open);
    this.minutes.fold(bar, open, current, current, nowMs);
    return bar.count === 0 ? null : bar.row(0);
  }
}
