import { cursorOf, type HistoryPosition } from './history-cursor';
import type { PageRequest } from './history.request';

/** Sort key of a row of history: its time in server milliseconds, and its ticket. */
interface Placed {
  readonly msc: number;
  readonly ticket: number;
}

/** A page of a history, oldest first, and the cursor of the next page; null if there is none. */
export interface HistoryPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/**
 * The rows after a position, unique by ticket, in the order in which history grows, so that rows added between two
 * pages come after all rows already returned.
 * @param place sort key of a row
 * @param windowFromMs start of the window, UTC milliseconds
 */
export function pageOf<Row>(
  rows: readonly Row[],
  place: (row: Row) => Placed,
  { limit, after }: PageRequest,
  windowFromMs: number,
): HistoryPage<Row> {
  const byTicket = new Map(rows.map((row) => [place(row).ticket, row]));
  const ordered = [...byTicket.values()]
    .filter((row) => after === null || isAfter(place(row), after))
    .sort((one, other) => compare(place(one), place(other)));
  const page = ordered.slice(0, limit);
  const last = page.at(-1);
  const isWhole = page.length === ordered.length || last === undefined;
  return { rows: page, nextCursor: isWhole ? null : cursorOf({ ...positionOf(place(last)), windowFromMs }) };
}

/** Whether a row comes after a position. */
export function isAfter(row: Placed, position: Placed): boolean {
  return compare(row, position) > 0;
}

function positionOf({ msc, ticket }: Placed): Omit<HistoryPosition, 'windowFromMs'> {
  return { msc, ticket };
}

function compare(one: Placed, other: Placed): number {
  return one.msc - other.msc || one.ticket - other.ticket;
}
