import type { HistoryQuery } from '@libs/terminal-client';
import { PackedRows, type RowForm } from './packed-rows';

/**
 * Done orders or deals, the oldest first, indexed by ticket and by position: an account with years of trades answers for one
 * position as fast as a new one. Rows are copies, on the way in and out.
 */
export class TradeHistory<Row extends { readonly position_id: number }> {
  private readonly packed: PackedRows<Row>;
  private readonly times: number[] = [];
  private readonly byTicket = new PlacesByNumber();
  private readonly byPosition = new PlacesByNumber();
  private isInOrder = true;

  /**
   * @param form how its rows are kept
   * @param ticketOf the ticket that a query names
   * @param timeOf the time that a query is about, in server seconds
   */
  constructor(
    form: RowForm<Row>,
    private readonly ticketOf: (row: Row) => number,
    private readonly timeOf: (row: Row) => number,
  ) {
    this.packed = new PackedRows(form);
  }

  get length(): number {
    return this.packed.length;
  }

  get last(): Row | undefined {
    return this.length === 0 ? undefined : this.packed.at(this.length - 1);
  }

  get rows(): Row[] {
    return this.between(0, this.length);
  }

  add(row: Row): void {
    const time = this.timeOf(row);
    if (time < (this.times.at(-1) ?? -Infinity)) this.isInOrder = false;
    this.packed.push(row);
    this.times.push(time);
    this.byTicket.noteLast(this.ticketOf(row));
    this.byPosition.noteLast(row.position_id);
  }

  /** The rows of a ticket, of a position, or of a span of time with both ends; the group of a query is not applied. */
  find(query: HistoryQuery): Row[] {
    if ('ticket' in query) return this.at(this.byTicket.places(query.ticket));
    if ('position' in query) return this.at(this.byPosition.places(query.position));
    const { from, to } = query;
    if (this.isInOrder) return this.between(this.countBefore(from), this.countBefore(Math.floor(to) + 1));
    return this.times.flatMap((time, place) => (time >= from && time <= to ? [this.packed.at(place)] : []));
  }

  private at(places: readonly number[]): Row[] {
    return places.map((place) => this.packed.at(place));
  }

  private between(start: number, end: number): Row[] {
    return Array.from({ length: Math.max(0, end - start) }, (_, index) => this.packed.at(start + index));
  }

  /** Number of rows before a time, by binary search. */
  private countBefore(time: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] ?? Infinity) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The places of rows by a number of each: linked from the last row to the first, as most numbers have only one or two rows. */
class PlacesByNumber {
  /** Place of the last row of a number. */
  private readonly last = new Map<number, number>();
  /** For each row, the place of the row of its number before it; -1 for the first. */
  private readonly before: number[] = [];

  /** Takes in the row that was added last. */
  noteLast(number: number): void {
    const at = this.before.length;
    this.before.push(this.last.get(number) ?? -1);
    this.last.set(number, at);
  }

  /** The places of the rows of a number, the oldest first. */
  places(number: number): readonly number[] {
    const found: number[] = [];
    for (let at = this.last.get(number) ?? -1; at !== -1; at = this.before[at] ?? -1) found.push(at);
    return found.reverse();
  }
}
