import type { TransportAnswer } from './http-transport';

/** The terminal's error for a request that it refused. */
export interface TerminalError {
  readonly retcode: number | null;
  readonly retcode_name: string | null;
  readonly comment: string | null;
}

interface Refusal {
  readonly status: number;
  readonly errorType: string;
  readonly error: string;
  readonly details: unknown;
  readonly terminalError: TerminalError | null;
}

/**
 * The outcome of a trade request. There is no fifth case, and only `unknown` is uncertain: look it up by the same key
 * before anything else is sent for the same purpose.
 */
export type TradeOutcome<Body> =
  /** The request took effect, wholly or in part. */
  | { readonly kind: 'done'; readonly status: number; readonly body: Body; readonly replayed: boolean }
  /** Proven that this send did nothing; see `GatewayClient.resend` for a key that was sent before. */
  | ({ readonly kind: 'rejected'; readonly retryable: boolean } & Refusal)
  /** The kill switch is active (423): nothing was done, and nothing will be until it is released. */
  | ({ readonly kind: 'blocked' } & Refusal)
  /** The broker may have acted. */
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      readonly status: number | null;
      readonly errorType: string | null;
      /** The wait that the gateway requests before a retry; null if it did not state one. */
      readonly retryAfterMs: number | null;
      /** No gateway listens at the address, so this request did not arrive; an earlier one under its key may have. */
      readonly unsent?: true;
    };

export type UnknownOutcome = Extract<TradeOutcome<never>, { kind: 'unknown' }>;
export type RefusedOutcome = Extract<TradeOutcome<never>, { kind: 'rejected' | 'blocked' }>;

/** Errors that are the outcome of a key: no send under it had an effect, and none will have. */
const ofKeyTypes: readonly string[] = ['broker_rejected', 'key_void'];

/** Whether a refusal is of all sends under the key, and not only of the one that it answers. */
export function isOfKey({ errorType }: Pick<RefusedOutcome, 'errorType'>): boolean {
  return ofKeyTypes.includes(errorType);
}

/** The outcome of a key if only its last send is known to have done nothing. */
export function earlierUnknown({ status, errorType, error }: RefusedOutcome): UnknownOutcome {
  const reason = `${error}; an earlier send under the key may have been executed`;
  return { kind: 'unknown', reason, status, errorType, retryAfterMs: null };
}

/** Classifies the answer to one send: a 4xx other than 409 is a rejection of that send, a 2xx with `ok` a success. */
export function tradeOutcome<Body>(answer: TransportAnswer): TradeOutcome<Body> {
  if (answer.kind !== 'answered') {
    const { reason, isUnsent } = answer;
    const outcome = { kind: 'unknown', reason, status: null, errorType: null, retryAfterMs: null } as const;
    return isUnsent === true ? { ...outcome, unsent: true } : outcome;
  }
  const { status, body } = answer;
  const said = envelopeOf(body);
  if (status >= 200 && status < 300 && said.ok === true) {
    return { kind: 'done', status, body: body as Body, replayed: answer.replayed };
  }
  if (status >= 400 && status < 500 && status !== 409 && said.ok === false) {
    const refusal = {
      status,
      errorType: said.error_type ?? 'unnamed',
      error: said.error ?? `status ${status}`,
      details: said.details,
      terminalError: terminalErrorOf(said.terminal_error),
    };
    if (status === 423) return { kind: 'blocked', ...refusal };
    return { kind: 'rejected', retryable: retryableOf(said.details), ...refusal };
  }
  return {
    kind: 'unknown',
    reason: said.error ?? `status ${status} without a usable body`,
    status,
    errorType: said.error_type ?? null,
    retryAfterMs: answer.retryAfterMs,
  };
}

interface Envelope {
  readonly ok?: boolean;
  readonly error?: string;
  readonly error_type?: string;
  readonly details?: unknown;
  readonly terminal_error?: unknown;
}

/** The members of the envelope with the right type; none if the body is not an envelope. */
export function envelopeOf(body: unknown): Envelope {
  if (typeof body !== 'object' || body === null) return {};
  const { ok, error, error_type, details, terminal_error } = body as Record<string, unknown>;
  return {
    ...(typeof ok === 'boolean' ? { ok } : {}),
    ...(typeof error === 'string' ? { error } : {}),
    ...(typeof error_type === 'string' ? { error_type } : {}),
    details,
    terminal_error,
  };
}

function retryableOf(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'retryable' in details && details.retryable === true;
}

function terminalErrorOf(value: unknown): TerminalError | null {
  if (typeof value !== 'object' || value === null) return null;
  const { retcode, retcode_name, comment } = value as Record<string, unknown>;
  return {
    retcode: typeof retcode === 'number' ? retcode : null,
    retcode_name: typeof retcode_name === 'string' ? retcode_name : null,
    comment: typeof comment === 'string' ? comment : null,
  };
}
