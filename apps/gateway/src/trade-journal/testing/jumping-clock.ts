import { VirtualClock } from '@libs/clock';

/** A virtual clock whose wall time an operator, or NTP, sets while its monotonic time goes on. */
export class JumpingClock extends VirtualClock {
  private jumpedMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.jumpedMs;
  }

  /** Puts the wall clock forward, or back with a negative number. */
  jump(byMs: number): void {
    this.jumpedMs += byMs;
  }
}
