import { DraftMap } from './draft-map';

/** Largest lag of a new row behind the latest one, in server seconds: late rows, clocks set back. */
const rememberedSeconds = 3 * 3_600 + 600;
/** So much longer than the window rows are known by ticket, in seconds: a terminal may show the time of a row otherwise than before. */
const marginSeconds = 3_600;
/** So many of the latest rows are known by ticket, however old they are: their times may be wrong. They are swept in batches. */
const remembered = { least: 500, most: 1_000 };
/** Rows of the highest tickets of which the middle one tells how late it is: the times of two of them may be in the future. */
const telling = 5;

/** Bounds of what was seen, as stored. */
export interface SeenBounds {
  /** Server seconds of the latest row; the times of a few rows that are later than the others do not count. */
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
  /** Of the highest tickets, the highest last. */
  private newest: readonly (readonly [ticket: number, time: number])[];
  private newestOnDisk: SeenTickets['newest'];
  /** Number of rows that are known by ticket. */
  private size: number;
  private sizeOnDisk: number;

  constructor(
    private committed: SeenBounds = { latest: 0, highest: 0 },
    recent: Iterable<readonly [ticket: number, time: number]> = [],
  ) {
    this.bounds = committed;
    // In the order of time, as they are added.
    this.recent = new DraftMap(new Map([...recent].sort((a, b) => Math.abs(a[1]) - Math.abs(b[1]))));
    this.size = this.sizeOnDisk = this.recent.size;
    this.newest = this.newestOnDisk = [...this.recent].sort((a, b) => a[0] - b[0]).slice(-telling);
  }

  /** Highest ticket. */
  get highest(): number {
    return this.bounds.highest;
  }

  /** Start of the window for new rows, in server seconds. */
  get lookBackTo(): number {
    return Math.max(0, this.bounds.latest - rememberedSeconds);
  }

  /** Server seconds of the latest row. */
  get latest(): number {
    return this.bounds.latest;
  }

  /** Number of rows in a span of server seconds that a list may not lack, of those that are known by ticket. */
  countIn(from: number, to: number): number {
    let count = 0;
    // The time of one that may be missing is negative, and so in no span.
    for (const [, time] of this.recent) if (time >= from && time < to) count += 1;
    return count;
  }

  /** The time of the earliest row that is known by ticket, or the start of the window. */
  get earliest(): number {
    let earliest = this.lookBackTo;
    for (const [, time] of this.recent) earliest = Math.min(earliest, Math.abs(time));
    return earliest;
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
    if (!this.recent.has(ticket)) this.size += 1;
    this.recent.set(ticket, time);
    this.newest = [...this.newest.filter(([other]) => other !== ticket), [ticket, time] as const]
      .sort((a, b) => a[0] - b[0])
      .slice(-telling);
    const { latest, highest } = this.bounds;
    // Never earlier than before: rows that are forgotten would be new again.
    const now = Math.max(latest, middleOf(this.newest.map(([, at]) => Math.abs(at))));
    this.bounds = { latest: now, highest: Math.max(highest, ticket), forgotten: this.forgotten };
    if (this.size > remembered.most) this.sweep();
  }

  private sweep(): void {
    let { forgotten } = this;
    for (const [old, at] of this.recent) {
      // Almost in time order, so the sweep ends at the first row to keep.
      if (this.size <= remembered.least || Math.abs(at) >= this.lookBackTo - marginSeconds) break;
      this.recent.delete(old);
      this.size -= 1;
      forgotten = Math.max(forgotten, old);
    }
    this.bounds = { ...this.bounds, forgotten };
  }

  /** A list shows a row that was seen, perhaps with another time than before. */
  shown(ticket: number, time: number): void {
    const before = this.recent.get(ticket);
    // One that may be missing stays so.
    if (before !== undefined && before > 0 && before !== time) this.recent.refresh(ticket, time);
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
    this.newestOnDisk = this.newest;
    this.sizeOnDisk = this.size;
    this.recent.commit();
  }

  rollback(): void {
    this.bounds = this.committed;
    this.newest = this.newestOnDisk;
    this.size = this.sizeOnDisk;
    this.recent.rollback();
  }
}

/** The middle one of some numbers; of an even count, the lower one. */
function middleOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
