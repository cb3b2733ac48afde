/** Largest lag of a new row behind the latest one, in server seconds: late rows, clocks set back. */
const rememberedSeconds = 3 * 3_600 + 600;

/** Format on disk. */
export interface SeenTicketsRecord {
  readonly latest: number;
  readonly highest: number;
  readonly recent: readonly (readonly [ticket: number, time: number])[];
}

/** The rows of a growing list that were reported: recent ones by ticket, and all older ones. */
export class SeenTickets {
  private readonly recent: Map<number, number>;
  private latestSeconds: number;
  private highestTicket: number;

  constructor(record: SeenTicketsRecord = { latest: 0, highest: 0, recent: [] }) {
    this.latestSeconds = record.latest;
    this.highestTicket = record.highest;
    this.recent = new Map(record.recent);
  }

  /** Server seconds of the latest row. */
  get latest(): number {
    return this.latestSeconds;
  }

  get highest(): number {
    return this.highestTicket;
  }

  /** Start of the window for new rows, in server seconds. */
  get lookBackTo(): number {
    return Math.max(0, this.latestSeconds - rememberedSeconds);
  }

  has(ticket: number, time: number): boolean {
    return time < this.lookBackTo || this.recent.has(ticket);
  }

  add(ticket: number, time: number): void {
    this.recent.set(ticket, time);
    this.highestTicket = Math.max(this.highestTicket, ticket);
    if (time <= this.latestSeconds) return;
    this.latestSeconds = time;
    for (const [old, at] of this.recent) {
      // Almost in time order, so the sweep ends at the first row to keep.
      if (at >= this.lookBackTo) break;
      this.recent.delete(old);
    }
  }

  copy(): SeenTickets {
    return new SeenTickets(this.record());
  }

  record(): SeenTicketsRecord {
    return { latest: this.latestSeconds, highest: this.highestTicket, recent: [...this.recent] };
  }
}
