import { Clock, type Timer } from './clock';

interface Pending {
  readonly atMs: number;
  readonly sequence: number;
  readonly run: () => void;
}

/** A clock that advances only when stepped, so that the same steps give the same run, byte for byte. */
export class VirtualClock extends Clock {
  private readonly pending = new Set<Pending>();
  private sequence = 0;
  private elapsedMs = 0;
  private readonly works: (() => Promise<void>)[] = [];

  constructor(private readonly startMs: number = Date.UTC(2024, 0, 1)) {
    super();
  }

  nowMs(): number {
    return this.startMs + this.elapsedMs;
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const entry: Pending = { atMs: this.elapsedMs + Math.max(0, delayMs), sequence: this.sequence++, run };
    this.pending.add(entry);
    return { cancel: () => void this.pending.delete(entry) };
  }

  /**
   * Makes {@link advance} wait for real work before each timer, so that no time passes because a disk is slow.
   * @param idle resolves once nothing of the work is under way
   */
  waitFor(idle: () => Promise<void>): void {
    this.works.push(idle);
  }

  /**
   * Steps the clock by `ms` and runs every due timer in order of time. Promise callbacks settle between timers, so that
   * code that sleeps in a loop sees each of its steps.
   */
  async advance(ms: number): Promise<void> {
    const targetMs = this.elapsedMs + ms;
    await this.settle();
    for (let due = this.nextDue(targetMs); due; due = this.nextDue(targetMs)) {
      this.elapsedMs = due.atMs;
      this.pending.delete(due);
      due.run();
      await this.settle();
    }
    this.elapsedMs = targetMs;
  }

  /** Steps the clock by `ms` and runs due timers, without promise callbacks in between, for replays. */
  advanceSync(ms: number): void {
    const targetMs = this.elapsedMs + ms;
    for (let due = this.nextDue(targetMs); due; due = this.nextDue(targetMs)) {
      this.elapsedMs = due.atMs;
      this.pending.delete(due);
      due.run();
    }
    this.elapsedMs = targetMs;
  }

  /** Two turns of the event loop's check phase: enough for chains of promises and real I/O callbacks. */
  private async settle(): Promise<void> {
    await twoTurns();
    for (const idle of this.works) await idle();
  }

  private nextDue(targetMs: number): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) {
      if (entry.atMs > targetMs) continue;
      if (!first || entry.atMs < first.atMs || (entry.atMs === first.atMs && entry.sequence < first.sequence)) {
        first = entry;
      }
    }
    return first;
  }
}

async function twoTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
