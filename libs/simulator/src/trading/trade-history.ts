import type { HistoryQuery } from '@libs/terminal-client';

/**
 * Done orders or deals, the oldest first, indexed by ticket and by position: an account with years of trades answers for one
 * position as fast as a new one.
 */
export class TradeHistory<Row extends { readonly position_id: number }> {
  private readonly list: Row[] = [];
  private readonly byTicket: RowsByNumber<Row>;
  private readonly byPosition: RowsByNumber<Row>;
  private isInOrder = true;

  /**
   * @param ticketOf the ticket that a query names
   * @param timeOf the time that a query is about, in server seconds
   */
  constructor(
    private readonly ticketOf: (row: Row) => number,
    private readonly timeOf: (row: Row) => number,
  ) {
    this.byTicket = new RowsByNumber(this.list);
    this.byPosition = new RowsByNumber(this.list);
  }

  get rows(): readonly Row[] {
    return this.list;
  }

  add(row: Row): void {
    const last = this.list.at(-1);
    if (last && this.timeOf(row) < this.timeOf(last)) this.isInOrder = false;
    this.list.push(row);
    this.byTicket.noteLast(this.ticketOf(row));
    this.byPosition.noteLast(row.position_id);
  }

  /** The rows of a ticket, of a position, or of a span of time with both ends; the group of a query is not applied. */
  find(query: HistoryQuery): readonly Row[] {
    if ('ticket' in query) return this.byTicket.rows(query.ticket);
    if ('position' in query) return this.byPosition.rows(query.position);
    const { from, to } = query;
    if (!this.isInOrder) return this.list.filter((row) => this.timeOf(row) >= from && this.timeOf(row) <= to);
    return this.list.slice(this.countBefore(from), this.countBefore(Math.floor(to) + 1));
  }

  /** Number of rows before a time, by binary search. */
  private countBefore(time: number): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.list[middle];
      if (row && this.timeOf(row) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The rows of a list by a number of each: linked from the last row to the first, as most numbers have only one or two rows. */
class RowsByNumber<Row> {
  /** Index of the last row of a number. */
  private readonly last = new Map<number, number>();
  /** For each row, the index of the row of its number before it; -1 for the first. */
  private readonly before: number[] = [];

  constructor(private readonly list: readonly Row[]) {}

  /** Takes in the row that was added to the list. */
  noteLast(number: number): void {
    const at = this.before.length;
    this.before.push(this.last.get(number) ?? -1);
    this.last.set(number, at);
  }

  /** The rows of a number, in the order of the list. */
  rows(number: number): readonly Row[] {
    const found: Row[] = [];
    for (let at = this.last.get(number) ?? -1; at !== -1; at = this.before[at] ?? -1) {
      const row = this.list[at];
      if (row) found.push(row);
    }
    return found.reverse();
  }
}
