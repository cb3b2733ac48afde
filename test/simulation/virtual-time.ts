import type { Timer } from '@libs/clock';

interface Event {
  readonly atMs: number;
  readonly sequence: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Turns of one instant after which something is taken to never come to rest. */
const mostTurns = 200_000;
const turnOfTheProcess = setImmediate;

/**
 * The only time there is: a queue of events by their instant. An instant is over when nothing is left to run in it, neither
 * promise callbacks nor deferred ones; then the next event decides what time it is.
 */
export class VirtualTime {
  /** A binary heap. */
  private events: Event[] = [];
  private deferred: Event[] = [];
  private sequence = 0;
  private elapsed = 0;

  /** @param firstMs UTC milliseconds of the first instant */
  constructor(private firstMs: number) {}

  /** Begins afresh. What was scheduled never happens. @param firstMs UTC milliseconds of the first instant */
  restart(firstMs: number): void {
    this.firstMs = firstMs;
    this.events = [];
    this.deferred = [];
    this.sequence = 0;
    this.elapsed = 0;
  }

  /** UTC milliseconds of the first instant. */
  get startMs(): number {
    return this.firstMs;
  }

  /** Milliseconds since the start; never goes back. */
  get elapsedMs(): number {
    return this.elapsed;
  }

  /** UTC milliseconds. */
  get nowMs(): number {
    return this.firstMs + this.elapsed;
  }

  /** Runs something later; what falls due at the same instant runs in the order in which it was scheduled. */
  schedule(delayMs: number, run: () => void): Timer {
    const atMs = this.elapsed + (delayMs > 0 ? delayMs : 0);
    const event: Event = { atMs, sequence: this.sequence++, run, cancelled: false };
    this.push(event);
    return { cancel: () => void (event.cancelled = true) };
  }

  /** Runs something in this instant, after the promise callbacks that are waiting: as `setImmediate` does. */
  defer(run: () => void): Timer {
    const event: Event = { atMs: this.elapsed, sequence: this.sequence++, run, cancelled: false };
    this.deferred.push(event);
    return { cancel: () => void (event.cancelled = true) };
  }

  /** Ends the present instant. @throws Error when it does not come to rest */
  private async settle(): Promise<void> {
    for (let turns = 0; turns < mostTurns; turns++) {
      // All promise callbacks and ticks of the process run before this goes on.
      await new Promise<void>((resolve) => void turnOfTheProcess(resolve));
      const next = this.deferred.shift();
      if (!next) return;
      if (!next.cancelled) next.run();
    }
    throw new Error(`the instant ${this.elapsed} does not come to rest`);
  }

  /**
   * Lets happen what is scheduled until an instant, or until an earlier one after which nothing more is wanted.
   * @param isOver asked between two events
   */
  async runUntil(untilMs: number, isOver: () => boolean): Promise<void> {
    await this.settle();
    while (!isOver()) {
      const next = this.pop(untilMs);
      if (!next) {
        this.elapsed = Math.max(this.elapsed, untilMs);
        return;
      }
      this.elapsed = next.atMs;
      next.run();
      await this.settle();
    }
  }

  private push(event: Event): void {
    const { events } = this;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(this.at(parent), event)) break;
      events[at] = this.at(parent);
      at = parent;
    }
    events[at] = event;
  }

  private pop(untilMs: number): Event | null {
    for (;;) {
      const first = this.events[0];
      if (!first || (!first.cancelled && first.atMs > untilMs)) return null;
      this.removeFirst();
      if (!first.cancelled) return first;
    }
  }

  private removeFirst(): void {
    const { events } = this;
    const last = events.pop();
    if (!last || events.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(this.at(child + 1), this.at(child))) child += 1;
      if (isBefore(last, this.at(child))) break;
      events[at] = this.at(child);
      at = child;
    }
    events[at] = last;
  }

  private at(index: number): Event {
    const event = this.events[index];
    if (!event) throw new RangeError('outside of the queue');
    return event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
}
