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

/**
 * The facts of an event; a field that does not apply is null on the line. Times are UTC, prices absolute, volumes in
 * lots.
 */
export interface AuditFacts {
  readonly request_id?: string | null;
  /** The W3C trace that the request belongs to; missing in lines of earlier versions. */
  readonly trace_id?: string | null;
  /** Role of the key that the request came with. */
  readonly api_key?: KeyRole | null;
  /** One send of a trade request; joins an intent with its outcome. */
  readonly intent_id?: string | null;
  readonly client_order_id?: string | null;
  /** Method and route template. */
  readonly route?: string | null;
  readonly login?: number | null;
  /** demo, contest or real. */
  readonly account_mode?: string | null;
  /** Order ticket. */
  readonly ticket?: number | null;
  readonly deal?: number | null;
  /** Position ticket. */
  readonly position?: number | null;
  /** Close by only: ticket of the opposite position. */
  readonly position_by?: number;
  readonly symbol?: string | null;
  readonly side?: 'buy' | 'sell' | null;
  readonly order_type?: string | null;
  readonly volume_requested?: number | null;
  readonly volume_filled?: number | null;
  readonly price_requested?: number | null;
  readonly price_filled?: number | null;
  /** Intents only, for outcome recovery: identifier and volume of the position before the send, in lots. */
  readonly position_id?: number | null;
  readonly position_volume?: number | null;
  /** The same of the opposite position of a close by. */
  readonly position_by_id?: number;
  readonly position_by_volume?: number;
  /** Intents only: time of the last quote before the send, server milliseconds. */
  readonly server_time_msc?: number | null;
  /** Intents only: 16 hexadecimal digits that differ if the same key comes with other parameters. */
  readonly request_fingerprint?: string | null;
  readonly sl?: number | null;
  readonly tp?: number | null;
  /** Points. */
  readonly deviation?: number | null;
  readonly magic?: number | null;
  readonly comment?: string | null;
  readonly retcode?: number | null;
  readonly retcode_name?: string | null;
  readonly latency_ms?: number | null;
  readonly error_type?: string | null;
  /** The setting whose limit the request exceeds. */
  readonly setting?: string | null;
  /** The limit that the request exceeds; `value` is the requested value. */
  readonly limit?: number | string | null;
  readonly value?: number | string | null;
  /** The fence that the request names, and its token. */
  readonly fence?: string | null;
  readonly fence_token?: number | null;
  /** Raises only: the magic numbers of the fence. */
  readonly fence_magics?: readonly number[] | null;
  /** Id of the trade journal; null while the journal counts as lost or is not proven yet. */
  readonly journal_id?: string | null;
  /** The journal's last commit that was on disk when the line was written. */
  readonly journal_sequence?: number | null;
}

export type AuditEvent = AuditFacts & { readonly event: AuditEventName };

/** Every field of a line, in order; `sequence` numbers the lines of the file without gaps. */
export const auditFields = [
  'request_id',
  'intent_id',
  'client_order_id',
  'route',
  'login',
  'account_mode',
  'ticket',
  'deal',
  'position',
  'position_id',
  'position_volume',
  'server_time_msc',
  'symbol',
  'side',
  'order_type',
  'volume_requested',
  'volume_filled',
  'price_requested',
  'price_filled',
  'sl',
  'tp',
  'deviation',
  'magic',
  'comment',
  'retcode',
  'retcode_name',
  'latency_ms',
  'error_type',
  'setting',
  'limit',
  'value',
  'journal_id',
  'journal_sequence',
  'request_fingerprint',
  'api_key',
  'fence',
  'fence_token',
  'fence_magics',
  'trace_id',
  'position_by',
  'position_by_id',
  'position_by_volume',
] as const satisfies readonly (keyof AuditFacts)[];

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
