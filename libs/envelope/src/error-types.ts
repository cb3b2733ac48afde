/**
 * The closed list of error types, with the HTTP status of each. A definite "nothing was done" is never 409 or 5xx, and
 * a possible "it was done" is never a 4xx other than 409; clients rely on that to decide whether they may send again.
 * PUT /fences alone answers `fence_conflict` and `fence_pending`; neither is about a trade request.
 */
export const statusOfErrorType = {
  validation_error: 400,
  authentication_error: 401,
  read_only_key: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  fence_conflict: 409,
  request_timeout: 408,
  account_mismatch: 412,
  fenced_out: 412,
  fence_required: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  symbol_not_allowed: 422,
  volume_limit_exceeded: 422,
  price_deviation_exceeded: 422,
  order_deviation_exceeded: 422,
  quote_too_old: 422,
  order_rate_exceeded: 422,
  open_volume_exceeded: 422,
  daily_loss_exceeded: 422,
  server_time_unavailable: 422,
  broker_rejected: 422,
  key_void: 422,
  kill_switch_active: 423,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unknown_outcome: 502,
  terminal_unavailable: 503,
  account_not_synchronized: 503,
  reconnect_cooldown: 503,
  not_ready: 503,
  journal_unavailable: 503,
  kill_switch_file_error: 503,
  journal_lost: 503,
  fence_pending: 503,
} as const satisfies Record<string, number>;

export type ErrorType = keyof typeof statusOfErrorType;

export const errorTypes = Object.keys(statusOfErrorType) as readonly ErrorType[];
