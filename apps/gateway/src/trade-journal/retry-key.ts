import { errorBody, type ApiError, type ErrorBody, type ErrorType } from '@libs/envelope';
import type { StoredAnswer } from '../trade-core/core-event';

/** Under which key a request that was answered with an error is repeated. */
export type RetryKey = 'same_key' | 'new_key';

/**
 * For requests whose answer is not kept: nothing was sent, and their key is free or bound to their parameters. The same
 * key has the request checked again; one that has to be corrected needs a new key. Null: a repetition does not help.
 */
const ofUnkept: Readonly<Record<ErrorType, RetryKey | null>> = {
  validation_error: 'new_key',
  authentication_error: 'same_key',
  read_only_key: 'same_key',
  forbidden: null,
  not_found: 'new_key',
  method_not_allowed: null,
  idempotency_conflict: 'new_key',
  idempotency_in_progress: 'same_key',
  fence_conflict: null,
  request_timeout: 'same_key',
  account_mismatch: 'same_key',
  fenced_out: null,
  fence_required: 'same_key',
  payload_too_large: 'new_key',
  unsupported_media_type: 'same_key',
  symbol_not_allowed: 'new_key',
  volume_limit_exceeded: 'new_key',
  price_deviation_exceeded: 'new_key',
  order_deviation_exceeded: 'new_key',
  quote_too_old: 'same_key',
  order_rate_exceeded: 'same_key',
  open_volume_exceeded: 'same_key',
  daily_loss_exceeded: 'same_key',
  server_time_unavailable: 'same_key',
  broker_rejected: 'same_key',
  key_void: 'new_key',
  kill_switch_active: 'same_key',
  too_many_requests: 'same_key',
  headers_too_large: 'same_key',
  internal_error: 'same_key',
  unknown_outcome: 'same_key',
  terminal_unavailable: 'same_key',
  account_not_synchronized: 'same_key',
  reconnect_cooldown: 'same_key',
  not_ready: null,
  journal_unavailable: 'same_key',
  kill_switch_file_error: null,
  journal_lost: 'same_key',
  fence_pending: null,
};

/** The field `retry_with` of an error whose answer is not kept; empty if a repetition does not help. */
export function retryField({ errorType }: ApiError): { readonly retry_with?: RetryKey } {
  const key = ofUnkept[errorType];
  return key === null ? {} : { retry_with: key };
}

/**
 * The body of an error that is kept under the key of its request. The same key gives it again for ever; so a request
 * that was rejected is repeated with a new key, and one whose outcome is unknown never is.
 */
export function keptErrorBody(error: ApiError, requestId: string): ErrorBody & { readonly retry_with: RetryKey } {
  return { ...errorBody(error, requestId), retry_with: error.errorType === 'unknown_outcome' ? 'same_key' : 'new_key' };
}

/** An error as the answer that is kept under the key of its request. */
export function keptAnswer(error: ApiError, requestId: string): StoredAnswer {
  return { status: error.status, body: JSON.stringify(keptErrorBody(error, requestId)) };
}
