import type { QueryReader } from '../http/query-reader';

const dayMs = 86_400_000;
const isoShape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}:?\d{2})?)?$/i;

/** A span of instants, both ends inclusive, in milliseconds UTC. */
export interface UtcSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** An ISO-8601 date or time as an instant in milliseconds; without a zone it is UTC. Null for any other text. */
export function parseInstant(text: string): number | null {
  const parts = isoShape.exec(text);
  if (!parts) return null;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  const ms = Date.parse(`${date}T${time}${offsetOf(zone)}`);
  return Number.isNaN(ms) || !isRealDate(date) ? null : ms;
}

/**
 * Reads both ends of a span that must not be longer than MAX_HISTORY_RANGE_DAYS; problems are reported to the reader.
 */
export function readSpan(query: QueryReader, from: string, to: string, maxDays: number): UtcSpan {
  query.requiredText(from);
  query.requiredText(to);
  const fromMs = readInstant(query, from);
  const toMs = readInstant(query, to);
  if (fromMs === undefined || toMs === undefined) return { fromMs: 0, toMs: 0 };
  refuseBadSpan(query, { fromMs, toMs }, from, to, maxDays);
  return { fromMs, toMs };
}

export function readInstant(query: QueryReader, field: string): number | undefined {
  return query.parsed(field, 'an ISO-8601 time such as 2026-01-05T10:00:00Z (UTC without a zone)', parseInstant);
}

function refuseBadSpan(query: QueryReader, span: UtcSpan, from: string, to: string, maxDays: number): void {
  if (span.fromMs >= span.toMs) query.refuse(from, `must be before ${to}`);
  else if (span.toMs - span.fromMs > maxDays * dayMs) {
    query.refuse(to, `must be at most ${maxDays} days after ${from} (MAX_HISTORY_RANGE_DAYS)`);
  }
}

/** A plus sign that was not percent-encoded arrives as a space. */
function offsetOf(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z';
  return `${zone.startsWith('-') ? '-' : '+'}${zone.slice(1, 3)}:${zone.slice(-2)}`;
}

/** JavaScript parses 30 February as 2 March. */
function isRealDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === date;
}
