import type { Clock } from '@libs/clock';

/** How market time follows the clock: from a start, `speed` times as fast, up to an end; never backwards. */
export class Pace {
  private readonly startedAtMs: number;
  private reachedMs: number;
  private advancedMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly startMs: number,
    private readonly speed: number,
    readonly endMs: number,
    /** At speed 1 a generated market shows the wall clock itself, so that it keeps step with it for weeks. */
    private readonly followsWallClock: boolean,
  ) {
    this.startedAtMs = clock.monotonicMs();
    this.reachedMs = startMs;
  }

  /**
   * Moves the market forward at once, on top of its speed.
   * @throws RangeError for a market that shows the wall clock
   */
  advance(ms: number): void {
    if (this.followsWallClock)
      throw new RangeError('this market shows the wall clock; set SIM_SPEED or SIM_FEED=replay:...');
    this.advancedMs += ms;
  }

  /** Milliseconds of the clock until the market reaches an instant (UTC milliseconds); null unless it keeps step with the clock. */
  untilMs(marketMs: number): number | null {
    return this.speed === 1 ? Math.max(0, marketMs - this.reachedMs) : null;
  }

  /** UTC milliseconds that the market has reached by now. */
  nowMs(): number {
    const elapsed = (this.clock.monotonicMs() - this.startedAtMs) * this.speed;
    const wanted = this.followsWallClock ? this.clock.nowMs() : Math.floor(this.startMs + this.advancedMs + elapsed);
    this.reachedMs = Math.min(this.endMs, Math.max(this.reachedMs, wanted));
    return this.reachedMs;
  }
}
