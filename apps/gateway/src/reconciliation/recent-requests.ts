import { outcomeOf, text, timeOf, type AuditedLine } from '../trade-journal/audited-line';
import { requestIdOf } from '../trade-core/journal-records';
import type { KnownKey } from '../trade-core/known-key';
import type { RecentRequest } from './trade-request.response';

/** What a line of the audit log tells about a trade request; other lines are of the account, the switch and fences. */
const eventsOfRequests: ReadonlySet<unknown> = new Set([
  ...['intent', 'refused', 'broker_response', 'unknown_outcome', 'recovered', 'voided', 'outcome_accepted'],
]);
/** A request has no older line than one of these, unless it was refused before. */
const firstEvents: ReadonlySet<unknown> = new Set(['intent', 'refused', 'voided']);

interface Wanted {
  /** Only keys that contain it; null for all requests. */
  readonly keyPart: string | null;
  /** Only requests of this account, and those of none; null for all. */
  readonly login: number | null;
  readonly limit: number;
}

/** The lines of one request, newest first. */
interface Found {
  /** The client's key, or the id of a request without one. */
  readonly name: string;
  readonly key: string | null;
  readonly lines: AuditedLine[];
}

/** The newest requests, and whether the lines have more of them. */
export interface RecentRequests {
  readonly rows: RecentRequest[];
  readonly hasMore: boolean;
}

/**
 * The newest requests of the audit log, newest first: one row for each key, and for each request without one.
 * @param lines newest first
 * @param known what the journal has of a name; undefined if it has nothing
 */
export function recentRequests(
  lines: Iterable<AuditedLine>,
  wanted: Wanted,
  known: (name: string) => KnownKey | undefined,
): RecentRequests {
  const { found, hasMore } = newestOf(lines, wanted);
  const rows = found.map((request) => rowOf(request, known(request.name)));
  // Lines of requests that run at the same time interleave.
  return { rows: rows.sort((one, other) => other.created_at.localeCompare(one.created_at)), hasMore };
}

/** Takes lines until the newest requests are whole. */
function newestOf(lines: Iterable<AuditedLine>, wanted: Wanted): { found: Found[]; hasMore: boolean } {
  const found = new Map<string, Found>();
  const open = new Set<string>();
  let hasMore = false;
  for (const line of lines) {
    const name = nameIn(line);
    if (name === null || !isWanted(line, wanted)) continue;
    const isNew = !found.has(name);
    if (isNew && found.size === wanted.limit) {
      hasMore = true;
      if (open.size === 0) break;
      continue;
    }
    const request = found.get(name) ?? { name, key: text(line.client_order_id), lines: [] };
    request.lines.push(line);
    found.set(name, request);
    if (firstEvents.has(line.event)) open.delete(name);
    else if (isNew) open.add(name);
  }
  return { found: [...found.values()], hasMore };
}

/** What names the request of a line: its key, or else its id in the journal, or else that of the HTTP request. */
function nameIn(line: AuditedLine): string | null {
  if (!eventsOfRequests.has(line.event) || Number.isNaN(timeOf(line))) return null;
  const intentId = text(line.intent_id);
  return text(line.client_order_id) ?? (intentId === null ? text(line.request_id) : requestIdOf(intentId));
}

function isWanted(line: AuditedLine, { keyPart, login }: Wanted): boolean {
  if (keyPart !== null && text(line.client_order_id)?.includes(keyPart) !== true) return false;
  return login === null || typeof line.login !== 'number' || line.login === login;
}

function rowOf({ key, lines }: Found, known: KnownKey | undefined): RecentRequest {
  const oldestFirst = lines.toReversed();
  const [first = {}] = oldestFirst;
  const sends = new Set(lines.filter(({ intent_id: id }) => id !== null).map(({ intent_id: id }) => id));
  // An earlier refusal under the key says nothing about a later send.
  const about = sends.size === 0 ? lines.slice(0, 1) : lines.filter(({ intent_id: id }) => id !== null);
  const outcome = known === undefined ? outcomeInLog(lines) : outcomeInJournal(known, lines);
  const why = ['rejected', 'refused', 'absent', 'in_part'].includes(outcome) ? about : [];
  return {
    key,
    request_id: text(first.request_id) ?? '',
    created_at: new Date(timeOf(first)).toISOString(),
    route: text(first.route) ?? '',
    outcome,
    sends: sends.size,
    error_type: wordIn(why, 'error_type'),
    setting: wordIn(why, 'setting'),
    retcode_name: wordIn(about, 'retcode_name'),
    login: integerIn(about, 'login'),
    symbol: wordIn(about, 'symbol'),
    side: sideIn(about),
    order_type: wordIn(about, 'order_type'),
    volume_requested: numberIn(about, 'volume_requested'),
    volume_filled: numberIn(about, 'volume_filled'),
    price_requested: numberIn(about, 'price_requested'),
    price_filled: numberIn(about, 'price_filled'),
    sl: numberIn(about, 'sl'),
    tp: numberIn(about, 'tp'),
    magic: integerIn(about, 'magic'),
    ticket: integerIn(about, 'ticket'),
    position: integerIn(about, 'position'),
  };
}

type Outcome = RecentRequest['outcome'];

/** The journal decides: the log may lack lines. */
function outcomeInJournal(known: KnownKey, lines: readonly AuditedLine[]): Outcome {
  const { status, responseStatus } = known.kind === 'request' ? known.record : known.entry;
  switch (status) {
    case 'in_progress':
    case 'unknown':
    case 'absent':
    case 'void':
    case 'accepted':
      return status;
    case 'recovered':
    case 'completed': {
      if (responseStatus === null) return outcomeInLog(lines);
      if (responseStatus < 300) return responseStatus === 207 ? 'in_part' : 'done';
      const kinds = [...newestOutcomes(lines).values()];
      if (kinds.includes('done')) return 'in_part';
      return kinds.includes('rejected') ? 'rejected' : refusalIn(lines);
    }
  }
}

/** For a request that the journal does not have: it was refused, or it had no key, or the journal was lost. */
function outcomeInLog(lines: readonly AuditedLine[]): Outcome {
  const sends = [...newestOutcomes(lines).values()];
  if (sends.length === 0) return lines.some(({ event }) => event === 'voided') ? 'void' : refusalIn(lines);
  // A line of an outcome may be missing: then nobody knows it.
  if (sends.includes('unknown')) return 'unknown';
  if (sends.every((kind) => kind === 'done')) return 'done';
  if (sends.includes('done')) return 'in_part';
  if (sends.includes('rejected')) return 'rejected';
  return sends.includes('absent') ? 'absent' : 'refused';
}

/** Who refused a request that was not sent: its check by the broker, or the gateway. */
function refusalIn(lines: readonly AuditedLine[]): Outcome {
  const refusal = lines.find(({ event }) => event === 'refused');
  return refusal?.error_type === 'broker_rejected' ? 'rejected' : 'refused';
}

/** What became of each send, by its id. @param lines newest first: the newest that has an outcome decides */
function newestOutcomes(lines: readonly AuditedLine[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const line of lines) {
    const id = text(line.intent_id);
    if (id === null || outcomes.has(id)) continue;
    const kind = outcomeOf(line)?.kind;
    if (kind !== undefined || line.event === 'intent') outcomes.set(id, wordOf(kind));
  }
  return outcomes;
}

function wordOf(kind: NonNullable<ReturnType<typeof outcomeOf>>['kind'] | undefined): Outcome {
  switch (kind) {
    case 'done':
    case 'rejected':
    case 'absent':
      return kind;
    case 'not_sent':
      return 'refused';
    case 'pending':
    case 'unknown':
    case undefined:
      return 'unknown';
  }
}

/** The value that all lines agree on; null where a request of several sends has several. */
function commonIn(lines: readonly AuditedLine[], field: string): unknown {
  const values = new Set(lines.map((line) => line[field] ?? null).filter((value) => value !== null));
  return values.size === 1 ? [...values][0] : null;
}

function wordIn(lines: readonly AuditedLine[], field: string): string | null {
  return text(commonIn(lines, field));
}

function numberIn(lines: readonly AuditedLine[], field: string): number | null {
  const value = commonIn(lines, field);
  return typeof value === 'number' ? value : null;
}

/** A ticket, login or magic number. The log has what a refused request asked for, such as `DELETE /orders/.5`, which is none. */
function integerIn(lines: readonly AuditedLine[], field: string): number | null {
  const value = numberIn(lines, field);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function sideIn(lines: readonly AuditedLine[]): RecentRequest['side'] {
  const side = commonIn(lines, 'side');
  return side === 'buy' || side === 'sell' ? side : null;
}
