/** Ticks wanted in one read of the terminal: a few milliseconds of its work and of ours. */
const ticksASlice = 2_000;
const firstSliceMs = 10 * 60_000;
const shortestSliceMs = 1_000;
const longestSliceMs = 2 * 3_600_000;

/**
 * Cuts a window of time into slices that hold about as many ticks each, by what the last one held: a night has few, a
 * news minute thousands, a weekend none.
 */
export class TickSlices {
  private lengthMs = firstSliceMs;

  /** The last millisecond of the slice that begins at `fromMs`. */
  endOf(fromMs: number, windowEndMs: number): number {
    return Math.min(windowEndMs, fromMs + this.lengthMs - 1);
  }

  /** Tells how many ticks the last slice held. */
  held(count: number): void {
    const factor = Math.min(2, Math.max(0.1, ticksASlice / Math.max(count, 1)));
    this.lengthMs = Math.round(Math.min(longestSliceMs, Math.max(shortestSliceMs, this.lengthMs * factor)));
  }
}
