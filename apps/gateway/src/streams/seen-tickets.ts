import { DraftMap } from './draft-map';

/** Largest lag of a new row behind the latest one, in server seconds: late rows, clocks set back. */
const rememberedSeconds = 3 * 3_600 + 600;

/** Bounds of what was seen, as stored. */
export interface SeenBounds {
  /** Server seconds of the latest row. */
  readonly latest: number;
  readonly highest: number;
  /** Highest of the tickets that are no longer remembered; absent in records of earlier versions. */
  readonly forgotten?: number;
}

/** The rows of a growing list that were reported: recent ones by ticket with their time, and all older ones. */
export class SeenTickets {
  /** The time of a row that may be missing is negative. */
  private readonly recent: DraftMap<number, number>;
  private bounds: SeenBounds;

  constructor(
    private committed: SeenBounds = { latest: 0, highest: 0 },
    recent: Iterable<readonly [ticket: number, time: number]> = [],
  ) {
    this.bounds = committed;
    // In the order of time, as they are added.
    this.recent = new DraftMap(new Map([...recent].sort((a, b) => Math.abs(a[1]) - Math.abs(b[1]))));
  }

  /** Highest ticket. */
  get highest(): number {
    return this.bounds.highest;
  }

  /** Start of the window for new rows, in server seconds. */
  get lookBackTo(): number {
    return Math.max(0, this.bounds.latest - rememberedSeconds);
  }

  /**
   * A row from before the window counts as seen, unless its ticket is higher than all forgotten ones. Tickets rise even after the
   * clock was set back, and rows of that time are remembered by ticket.
   */
  has(ticket: number, time: number): boolean {
    return (time < this.lookBackTo && ticket <= this.forgotten) || this.recent.has(ticket);
  }

  /** Whether a row is among those that are known by ticket. */
  isRecent(ticket: number): boolean {
    return this.recent.has(ticket);
  }

  add(ticket: number, time: number): void {
    this.recent.set(ticket, time);
    const { latest, highest } = this.bounds;
    let { forgotten } = this;
    this.bounds = { latest: Math.max(latest, time), highest: Math.max(highest, ticket), forgotten };
    if (time <= latest) return;
    for (const [old, at] of this.recent) {
      // Almost in time order, so the sweep ends at the first row to keep.
      if (Math.abs(at) >= this.lookBackTo) break;
      this.recent.delete(old);
      forgotten = Math.max(forgotten, old);
    }
    this.bounds = { ...this.bounds, forgotten };
  }

  /** A person accepts that a list lacks these. They stay seen: a row that comes back was reported already. */
  forgo(tickets: readonly number[]): void {
    for (const ticket of tickets) {
      const time = this.recent.get(ticket);
      if (time !== undefined) this.recent.set(ticket, -Math.abs(time));
    }
  }

  /** Seen rows of a span of server seconds that a list of it lacks and may not lack; of the recent ones, which are known by ticket. */
  missingIn(listed: ReadonlySet<number>, from: number, to: number): number[] {
    const missing: number[] = [];
    for (const [ticket, time] of this.recent) {
      if (time >= 0 && time >= from && time >= this.lookBackTo && time <= to && !listed.has(ticket))
        missing.push(ticket);
    }
    return missing;
  }

  /** What is to be stored: the bounds, and the rows that are added; null is removed. */
  get changes(): { readonly bounds: SeenBounds; readonly recent: ReadonlyMap<number, number | null> } {
    return { bounds: this.bounds, recent: this.recent.changes };
  }

  private get forgotten(): number {
    const { forgotten, highest } = this.bounds;
    return forgotten ?? highest;
  }

  commit(): void {
    this.committed = this.bounds;
    this.recent.commit();
  }

  rollback(): void {
    this.bounds = this.committed;
    this.recent.rollback();
  }
}
