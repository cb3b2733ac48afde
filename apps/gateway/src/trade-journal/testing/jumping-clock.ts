import { VirtualClock } from '@libs/clock';

/** A virtual clock whose wall time can be set, as by an operator or NTP, while its monotonic time continues. */
export class JumpingClock extends VirtualClock {
  private jumpedMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.jumpedMs;
  }

  /** Moves the wall clock forward, or back with a negative number. */
  jump(byMs: number): void {
    this.jumpedMs += byMs;
  }
}
