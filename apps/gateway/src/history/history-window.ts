import type { QueryReader } from '../http/query-reader';
import { readClock, readInstant } from '../market-data/utc-span';
import { longestClockChangeMs } from '../server-time/server-zone';
import type { ClockWord } from '../server-time/utc-instant';
import type { ServerTime } from '../server-time/server-time';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The most that a server's clock is behind and ahead of UTC. */
const mostBehindMs = 12 * hourMs;
const mostAheadMs = 14 * hourMs;

/** The window of a history request, in milliseconds of its clock, UTC if it names none; without an end it includes everything newer. */
export interface HistoryWindow {
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly clock?: ClockWord;
}

/** The window for the terminal, in server seconds; never narrower than requested. */
export interface TerminalWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads `from_date` and `to_date`, both optional: without an end the window is open, without a start it begins
 * `defaultDays` before its end. Problems are reported to the reader.
 */
export function readWindow(query: QueryReader, nowMs: number, defaultDays: number): HistoryWindow {
  const from = readInstant(query, 'from_date');
  const to = readInstant(query, 'to_date');
  const endMs = to ?? Math.max(nowMs, (from ?? nowMs) + 1);
  const fromMs = from ?? endMs - defaultDays * dayMs;
  if (fromMs >= endMs) query.refuse('from_date', 'must be before to_date');
  return { fromMs, toMs: to ?? null, clock: readClock(query) };
}

/** As {@link readWindow}, for lists that are always short: null (all rows) if neither end is given. */
export function readOptionalWindow(query: QueryReader): HistoryWindow | null {
  const from = readInstant(query, 'from_date');
  const to = readInstant(query, 'to_date');
  const clock = readClock(query);
  if (from === undefined && to === undefined) return null;
  const fromMs = from ?? 0;
  if (to !== undefined && fromMs >= to) query.refuse('from_date', 'must be before to_date');
  return { fromMs, toMs: to ?? null, clock };
}

/**
 * The window on the server's clock. An open end is a day from now, because the clock that stamps rows may be ahead of
 * UTC; while no offset is known, both ends are extended by the largest possible offset.
 */
export function terminalWindow(window: HistoryWindow, serverTime: ServerTime, nowMs: number): TerminalWindow {
  const { fromMs, toMs, clock } = window;
  const openEndMs = Math.max(nowMs, fromMs) + dayMs;
  if (clock === 'server') {
    const endMs = toMs ?? openEndMs + mostAheadMs;
    return { from: Math.max(0, Math.floor(fromMs / 1_000)), to: Math.ceil(endMs / 1_000) };
  }
  const known = serverTime.toServerMs(fromMs) !== null;
  const from = known ? (serverTime.toServerMs(fromMs) ?? fromMs) - longestClockChangeMs : fromMs - mostBehindMs;
  const to = known
    ? (serverTime.toServerMs(toMs ?? openEndMs) ?? openEndMs) + longestClockChangeMs
    : (toMs ?? openEndMs) + mostAheadMs;
  return { from: Math.max(0, Math.floor(from / 1_000)), to: Math.ceil(to / 1_000) };
}

/** Whether a server time is in the window; always true while no offset is known. */
export function isInside({ fromMs, toMs, clock }: HistoryWindow, serverTime: ServerTime, serverMsc: number): boolean {
  const instant = clock === 'server' ? serverMsc : serverTime.toUtcMs(serverMsc);
  return instant === null || (instant >= fromMs && (toMs === null || instant <= toMs));
}
