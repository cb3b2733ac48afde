import type { QueryReader } from '../http/query-reader';
import { clockWords, instantProblem, parseInstant, type ClockWord } from '../server-time/utc-instant';

const dayMs = 86_400_000;

/** A span of instants, both ends inclusive, in milliseconds of its clock; UTC if it names none. */
export interface UtcSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly clock?: ClockWord;
}

/**
 * Reads both ends of a span that must not be longer than MAX_HISTORY_RANGE_DAYS; problems are reported to the reader.
 */
export function readSpan(query: QueryReader, from: string, to: string, maxDays: number): UtcSpan {
  query.requiredText(from);
  query.requiredText(to);
  const fromMs = readInstant(query, from);
  const toMs = readInstant(query, to);
  const clock = readClock(query);
  if (fromMs === undefined || toMs === undefined) return { fromMs: 0, toMs: 0 };
  refuseBadSpan(query, { fromMs, toMs }, from, to, maxDays);
  return { fromMs, toMs, clock };
}

/** Reads `clock`, the clock of the times in the query. */
export function readClock(query: QueryReader): ClockWord {
  const parse = (text: string): ClockWord | null => clockWords.find((word) => word === text.toLowerCase()) ?? null;
  return query.parsed('clock', 'utc or server', parse) ?? 'utc';
}

export function readInstant(query: QueryReader, field: string): number | undefined {
  const value = query.text(field);
  if (value === undefined) return undefined;
  return parseInstant(value) ?? query.refuse(field, instantProblem(value));
}

function refuseBadSpan(query: QueryReader, span: UtcSpan, from: string, to: string, maxDays: number): void {
  if (span.fromMs >= span.toMs) query.refuse(from, `must be before ${to}`);
  else if (span.toMs - span.fromMs > maxDays * dayMs) {
    query.refuse(to, `must be at most ${maxDays} days after ${from} (MAX_HISTORY_RANGE_DAYS)`);
  }
}
