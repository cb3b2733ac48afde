import type { KeyRole } from './caller';

/** Events of the audit log. */
export type AuditEventName =
  | 'intent'
  | 'refused'
  | 'broker_response'
  | 'unknown_outcome'
  | 'recovered'
  /** A key was made void: nothing was sent under it, and nothing ever will be. */
  | 'voided'
  /** An operator accepted that the outcome of a send stays unknown. */
  | 'outcome_accepted'
  | 'kill_engaged'
  | 'kill_released'
  | 'journal_accepted'
  /** An operator accepted the account as the terminal shows it; `comment` states what nothing explains. */
  | 'account_accepted'
  /** A fence was raised: sends under a lower token are refused from then on. */
  | 'fence_raised'
  | 'login'
  | 'logout';

/** Stands for the type of a field. */
const of = <Value>(): Value | null => null;
const [text, number, numberOrText] = [of<string>(), of<number>(), of<number | string>()];

/**
 * Every field of a line, in order. A field that does not apply is null on the line. Times are UTC, prices absolute, volumes in lots.
 */
const fields = {
  request_id: text,
  /** One send of a trade request; joins an intent with its outcome. */
  intent_id: text,
  client_order_id: text,
  /** Method and route template. */
  route: text,
  login: number,
  /** demo, contest or real. */
  account_mode: text,
  /** Order ticket. */
  ticket: number,
  deal: number,
  /** Position ticket. */
  position: number,
  /** Intents only, for outcome recovery: identifier and volume of the position before the send, in lots. */
  position_id: number,
  position_volume: number,
  /** Intents only: time of the last quote before the send, server milliseconds. */
  server_time_msc: number,
  symbol: text,
  side: of<'buy' | 'sell'>(),
  order_type: text,
  volume_requested: number,
  volume_filled: number,
  price_requested: number,
  price_filled: number,
  sl: number,
  tp: number,
  /** Points. */
  deviation: number,
  magic: number,
  comment: text,
  retcode: number,
  retcode_name: text,
  latency_ms: number,
  error_type: text,
  /** The setting whose limit the request exceeds. */
  setting: text,
  /** The limit that the request exceeds; `value` is the requested value. */
  limit: numberOrText,
  value: numberOrText,
  /** Id of the trade journal; null while the journal counts as lost or is not proven yet. */
  journal_id: text,
  /** The journal's last commit that was on disk when the line was written. */
  journal_sequence: number,
  /** Intents only: 16 hexadecimal digits that differ if the same key comes with other parameters. */
  request_fingerprint: text,
  /** Role of the key that the request came with. */
  api_key: of<KeyRole>(),
  /** The fence that the request names, and its token. */
  fence: text,
  fence_token: number,
  /** Raises only: the magic numbers of the fence. */
  fence_magics: of<readonly number[]>(),
  /** The W3C trace that the request belongs to; missing in lines of earlier versions. */
  trace_id: text,
  /** Close by only: ticket of the opposite position. */
  position_by: number,
  /** The same of the opposite position of a close by. */
  position_by_id: number,
  position_by_volume: number,
};

/** The facts of an event. */
export type AuditFacts = { readonly [Field in keyof typeof fields]?: (typeof fields)[Field] };

export type AuditEvent = AuditFacts & { readonly event: AuditEventName };

/** The names of the fields, in order; `sequence` numbers the lines of the file without gaps. */
export const auditFields = Object.keys(fields) as readonly (keyof AuditFacts)[];

/**
 * One line of the log, without the line break.
 * @param runningMs for how long gateways had run with this log, in milliseconds; the wall clock does not change it
 * @param record the record of the journal that the line is of, `<journal id>/<number>`; null if the journal did not take it
 */
export function auditLine(
  timestamp: string,
  sequence: number,
  event: AuditEvent,
  runningMs: number,
  record: string | null = null,
): string {
  const facts = Object.fromEntries(auditFields.map((field) => [field, event[field] ?? null]));
  return JSON.stringify({ timestamp, sequence, event: event.event, ...facts, running_ms: runningMs, record });
}
