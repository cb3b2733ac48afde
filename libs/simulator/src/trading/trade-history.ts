import type { HistoryQuery } from '@libs/terminal-client';

/**
 * Done orders or deals, the oldest first, indexed by ticket and by position: an account with years of trades answers for one
 * position as fast as a new one.
 */
export class TradeHistory<Row extends { readonly position_id: number }> {
  private readonly list: Row[] = [];
  private readonly byTicket = new Map<number, Row[]>();
  private readonly byPosition = new Map<number, Row[]>();
  private isInOrder = true;

  /**
   * @param ticketOf the ticket that a query names
   * @param timeOf the time that a query is about, in server seconds
   */
  constructor(
    private readonly ticketOf: (row: Row) => number,
    private readonly timeOf: (row: Row) => number,
  ) {}

  get rows(): readonly Row[] {
    return this.list;
  }

  add(row: Row): void {
    const last = this.list.at(-1);
    if (last && this.timeOf(row) < this.timeOf(last)) this.isInOrder = false;
    this.list.push(row);
    addTo(this.byTicket, this.ticketOf(row), row);
    addTo(this.byPosition, row.position_id, row);
  }

  /** The rows of a ticket, of a position, or of a span of time with both ends; the group of a query is not applied. */
  find(query: HistoryQuery): readonly Row[] {
    if ('ticket' in query) return this.byTicket.get(query.ticket) ?? [];
    if ('position' in query) return this.byPosition.get(query.position) ?? [];
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

function addTo<Row>(index: Map<number, Row[]>, key: number, row: Row): void {
  const rows = index.get(key);
  if (rows) rows.push(row);
  else index.set(key, [row]);
}
