import { validationError } from '@libs/envelope';
import { NotSynchronizedError } from '../account-evidence/not-synchronized.error';
import { accountNotSynchronized } from '../terminal/terminal-access';
import { longestBehindMs } from '../trade-core/late-sends';
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
 * @param rows those after the position, and those of up to {@link longestBehindMs} before it
 * @param place sort key of a row
 * @param windowFromMs start of the window, UTC milliseconds
 * @throws ApiError if the rows before the position are not those of the page before: the terminal has shown one late, or shows one
 *   no longer
 */
export function pageOf<Row>(
  rows: readonly Row[],
  place: (row: Row) => Placed,
  { limit, after }: PageRequest,
  windowFromMs: number,
): HistoryPage<Row> {
  const byTicket = new Map(rows.map((row) => [place(row).ticket, row]));
  const ordered = [...byTicket.values()].sort((one, other) => compare(place(one), place(other)));
  const start = after === null ? 0 : ordered.filter((row) => !isAfter(place(row), after)).length;
  const places = ordered.map(place);
  if (after !== null) requireSameBefore(after, beforeOf(places, after));
  const page = ordered.slice(start, start + limit);
  const last = places[start + page.length - 1];
  if (last === undefined || start + page.length === ordered.length) return { rows: page, nextCursor: null };
  return { rows: page, nextCursor: cursorOf({ ...last, windowFromMs, before: beforeOf(places, last) }) };
}

function beforeOf(places: readonly Placed[], end: Placed): number {
  return places.filter((place) => !isAfter(place, end) && place.msc >= end.msc - longestBehindMs).length;
}

function requireSameBefore({ before }: HistoryPosition, found: number): void {
  if (before === null || found === before) return;
  if (found < before) {
    const reason = `the history shows ${found} of the ${before} rows before the cursor: read again, from the first page if it stays so`;
    throw accountNotSynchronized(new NotSynchronizedError(reason));
  }
  const problem = 'is behind rows that the terminal has shown late: read again from the first page, without it';
  throw validationError({ field: 'cursor', problem });
}

/** Whether a row comes after a position. */
export function isAfter(row: Placed, position: Placed): boolean {
  return compare(row, position) > 0;
}

function compare(one: Placed, other: Placed): number {
  return one.msc - other.msc || one.ticket - other.ticket;
}
