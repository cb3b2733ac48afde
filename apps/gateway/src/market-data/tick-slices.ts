/** Target for the ticks of one read: a few milliseconds of work for both sides. */
const ticksASlice = 2_000;
const firstSliceMs = 10 * 60_000;
const shortestSliceMs = 1_000;
const longestSliceMs = 2 * 3_600_000;

/**
 * Cuts a window into slices of about equally many ticks, estimated from the previous slice: a night has few, a minute
 * of news thousands, a weekend none.
 */
export class TickSlices {
  private lengthMs = firstSliceMs;

  /** The last millisecond of the slice that begins at `fromMs`. */
  endOf(fromMs: number, windowEndMs: number): number {
    return Math.min(windowEndMs, fromMs + this.lengthMs - 1);
  }

  /** Reports how many ticks the last slice had. */
  held(count: number): void {
    const factor = Math.min(2, Math.max(0.1, ticksASlice / Math.max(count, 1)));
    this.lengthMs = Math.round(Math.min(longestSliceMs, Math.max(shortestSliceMs, this.lengthMs * factor)));
  }
}
