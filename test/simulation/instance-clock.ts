import { Clock, type Timer } from '@libs/clock';
import type { VirtualTime } from './virtual-time';

/** Whether a program runs, is paused (as by SIGSTOP) or has ended. */
export class ProgramLife {
  private ended = false;
  private isPaused = false;
  private waiting: (() => void)[] = [];

  get isOver(): boolean {
    return this.ended;
  }

  get paused(): boolean {
    return this.isPaused;
  }

  /** From now on nothing reaches the program. */
  end(): void {
    this.ended = true;
    this.waiting = [];
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    const due = this.waiting;
    this.waiting = [];
    for (const run of due) this.reach(run);
  }

  /** Lets something reach the program: now, when it runs again, or never when it has ended. */
  reach(run: () => void): void {
    if (this.ended) return;
    if (this.isPaused) this.waiting.push(run);
    else run();
  }
}

/** How far the wall clock of a machine is off; an operator, or NTP, sets it. */
export interface WallClock {
  offMs: number;
}

/** The clock of one run of a program: its timers end with it, and its wall clock may be off. */
export class InstanceClock extends Clock {
  constructor(
    private readonly time: VirtualTime,
    private readonly life: ProgramLife,
    private readonly wall: WallClock,
  ) {
    super();
  }

  nowMs(): number {
    return Math.floor(this.time.nowMs + this.wall.offMs);
  }

  monotonicMs(): number {
    return this.time.elapsedMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    return this.time.schedule(delayMs, () => this.life.reach(run));
  }
}
