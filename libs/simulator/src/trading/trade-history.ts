import type { HistoryQuery } from '@libs/terminal-client';
import { rowsOfBlock } from './block-list';
import type { HistoryMemory } from './history-disk';
import { PackedRows, type RowForm } from './packed-rows';
import { PlacesByNumber } from './places-by-number';

/** The times of the rows of one block. */
interface Span {
  earliest: number;
  latest: number;
}

/**
 * Done orders or deals, the oldest first, indexed by ticket and by position: an account with years of trades answers for one
 * position as fast as a new one. Rows are copies, on the way in and out.
 */
export class TradeHistory<Row extends { readonly position_id: number }> {
  private readonly packed: PackedRows<Row>;
  /** By block: of all times, only these are in memory. */
  private readonly spans: Span[] = [];
  private readonly byTicket = new PlacesByNumber();
  private readonly byPosition = new PlacesByNumber();
  private lastTime = -Infinity;
  private isInOrder = true;

  /**
   * @param form how its rows are kept
   * @param ticketOf the ticket that a query names
   * @param timeOf the time that a query is about, in server seconds
   * @param memory beyond it, the oldest rows are on disk; null: all rows stay in memory
   */
  constructor(
    form: RowForm<Row>,
    private readonly ticketOf: (row: Row) => number,
    private readonly timeOf: (row: Row) => number,
    memory: HistoryMemory | null = null,
  ) {
    this.packed = new PackedRows(form, memory);
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
    if (time < this.lastTime) this.isInOrder = false;
    this.lastTime = time;
    this.noteTime(time);
    this.packed.push(row);
    this.byTicket.noteLast(this.ticketOf(row));
    this.byPosition.noteLast(row.position_id);
  }

  /**
   * The rows of a ticket, of a position, or of a span of time with both ends; the group of a query is not applied.
   * @throws HistoryReadError
   */
  find(query: HistoryQuery): Row[] {
    if ('ticket' in query) return this.at(this.byTicket.places(query.ticket));
    if ('position' in query) return this.at(this.byPosition.places(query.position));
    const { from, to } = query;
    if (this.isInOrder) return this.between(this.countBefore(from), this.countBefore(Math.floor(to) + 1));
    return this.spans.flatMap(({ earliest, latest }, block) => {
      if (earliest > to || latest < from) return [];
      const rows = this.between(block * rowsOfBlock, (block + 1) * rowsOfBlock);
      return rows.filter((row) => this.timeOf(row) >= from && this.timeOf(row) <= to);
    });
  }

  /** The rows from one place to before another one, the oldest first. @throws HistoryReadError */
  between(start: number, end: number): Row[] {
    const size = Math.max(0, Math.min(end, this.length) - start);
    return Array.from({ length: size }, (_, index) => this.packed.at(start + index));
  }

  /** Gives up the rows on disk. */
  close(): void {
    this.packed.close();
  }

  private noteTime(time: number): void {
    if (this.length % rowsOfBlock === 0) this.spans.push({ earliest: time, latest: time });
    const span = this.spans.at(-1);
    if (!span) return;
    if (time < span.earliest) span.earliest = time;
    if (time > span.latest) span.latest = time;
  }

  private at(places: readonly number[]): Row[] {
    return places.map((place) => this.packed.at(place));
  }

  /** Number of rows before a time, while times are in order: by binary search for its block, then in the block. */
  private countBefore(time: number): number {
    const block = firstPlace(0, this.spans.length, (at) => (this.spans[at]?.latest ?? Infinity) >= time);
    const start = block * rowsOfBlock;
    const end = Math.min(start + rowsOfBlock, this.length);
    return firstPlace(Math.min(start, end), end, (at) => this.timeOf(this.packed.at(at)) >= time);
  }
}

/** The first place of a range at which something holds, if it holds from there on; the end of the range otherwise. */
function firstPlace(start: number, end: number, holds: (place: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
