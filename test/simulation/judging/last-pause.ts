import { noticedWithinMs } from './world';

/** When a program stood still last, in virtual milliseconds. */
export class LastPause {
  private fromMs = -Infinity;
  private toMs = -Infinity;

  /** A pause that begins during another one lengthens it at most. */
  begin(fromMs: number, lengthMs: number): void {
    if (this.toMs <= fromMs) this.fromMs = fromMs;
    this.toMs = Math.max(this.toMs, fromMs + lengthMs);
  }

  /** For how long the program stood still shortly before an instant, or stands still until after it. */
  nearMs(atMs: number, withinMs = noticedWithinMs): number {
    return this.toMs > atMs - withinMs ? this.toMs - this.fromMs : 0;
  }

  /** The same without what is still to come. */
  pastMs(atMs: number, nowMs: number): number {
    return this.toMs > atMs - noticedWithinMs ? Math.min(this.toMs, nowMs) - this.fromMs : 0;
  }
}
