import { type ErrorType } from './error-types';

interface ErrorMeaning {
  /** What it says about the request. */
  readonly meaning: string;
  /** What a client or its operator does. */
  readonly remedy: string;
}

/** What each error type means and what to do; docs/errors.md is rendered from it, and says what "repeat" means. */
export const errorMeanings: Readonly<Record<ErrorType, ErrorMeaning>> = {
  validation_error: {
    meaning: 'A field, parameter or header is missing, unknown or invalid.',
    remedy: 'Correct what `details` names, and use a new key.',
  },
  authentication_error: {
    meaning: 'The API key is missing or wrong, or the gateway has none.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`.',
  },
  read_only_key: { meaning: 'The read-only key cannot change anything.', remedy: 'Use the full key.' },
  forbidden: {
    meaning: 'The daemon does not allow the Host or Origin header.',
    remedy: 'Address it as localhost, or add the host to DAEMON_ALLOWED_HOSTS.',
  },
  not_found: {
    meaning: 'There is no such route, symbol, ticket or key.',
    remedy: 'Check the name. A request under an unknown key may still be in transit: make the key void to be certain.',
  },
  method_not_allowed: { meaning: 'The path does not support this method.', remedy: 'Use a method that `Allow` lists.' },
  idempotency_conflict: {
    meaning: 'The key belongs to another request. Nothing was done by this one.',
    remedy: 'Read that one at `GET /trade_requests/{key}`. Use a new key for another request.',
  },
  idempotency_in_progress: {
    meaning: 'A request with this key is in progress.',
    remedy: 'Repeat: the answer is that of the first one.',
  },
  fence_conflict: {
    meaning: 'The token of PUT /fences is not above the stored one.',
    remedy: 'Raise it above `details.stored`, which only the present holder of the lease may do.',
  },
  request_timeout: { meaning: 'The request was not complete in time.', remedy: 'Repeat on a new connection.' },
  account_mismatch: {
    meaning: 'The logged-in account is not the one in X-Expect-Login.',
    remedy: 'Stop, and find out which account the address belongs to.',
  },
  fenced_out: {
    meaning: 'The token in X-Fence is below the stored one.',
    remedy: 'Stop: another holder has the strategy.',
  },
  fence_required: {
    meaning: 'The strategy is fenced, and the request has no fence, another one, or one that was never raised.',
    remedy: 'Raise the fence, or send X-Fence with the stored token.',
  },
  payload_too_large: { meaning: 'The body is too large.', remedy: 'Send at most 64 KiB.' },
  unsupported_media_type: { meaning: 'The body is not JSON.', remedy: 'Send `Content-Type: application/json`.' },
  symbol_not_allowed: {
    meaning: 'The symbol is not in SYMBOL_WHITELIST.',
    remedy: 'Trade another symbol, or add this one.',
  },
  volume_limit_exceeded: { meaning: 'The volume is above MAX_ORDER_VOLUME.', remedy: 'Send less.' },
  price_deviation_exceeded: {
    meaning: 'The price is too far from the market (MAX_PRICE_DEVIATION_PCT).',
    remedy: 'Check the price: it may be that of another symbol.',
  },
  order_deviation_exceeded: { meaning: 'The deviation is above MAX_ORDER_DEVIATION.', remedy: 'Send a smaller one.' },
  quote_too_old: {
    meaning: 'The quote for the entry is older than MAX_QUOTE_AGE_SECONDS, or its age is not known.',
    remedy: 'Wait for a new quote (`age_seconds` of /symbol_info_tick), then decide again. Exits pass.',
  },
  order_rate_exceeded: {
    meaning: 'MAX_ORDERS_PER_MINUTE entries were sent in the last minute.',
    remedy: 'Wait for the time in Retry-After. Look for a loop in the client.',
  },
  open_volume_exceeded: {
    meaning: 'MAX_OPEN_VOLUME or MAX_OPEN_VOLUME_PER_SYMBOL would be exceeded.',
    remedy: 'Close something first. Exits pass.',
  },
  daily_loss_exceeded: {
    meaning: "MAX_DAILY_LOSS of the broker's day is reached.",
    remedy: "Stop entries until the broker's next day. Exits pass.",
  },
  server_time_unavailable: {
    meaning: "The broker's clock is not known well enough for an expiration or for MAX_DAILY_LOSS.",
    remedy: 'Set TERMINAL_SERVER_TIME_ZONE.',
  },
  broker_rejected: {
    meaning: 'The broker or terminal rejected the request.',
    remedy: 'Read `terminal_error`. Decide again, with a new key.',
  },
  key_void: {
    meaning: 'The key was made void: nothing was sent under it, and nothing will be.',
    remedy: 'Use a new key for a new order.',
  },
  kill_switch_active: { meaning: 'Trading is halted.', remedy: 'Stop until an operator releases the kill switch.' },
  too_many_requests: {
    meaning: 'Too many requests wait on this connection, or too many long reads of the keys of this kind.',
    remedy: 'Repeat, and send fewer requests at once.',
  },
  headers_too_large: { meaning: 'The request line and headers are too large.', remedy: 'Send at most 16 KiB.' },
  internal_error: {
    meaning: 'The gateway failed unexpectedly. A trade request may have been done.',
    remedy: 'Repeat. The log has the cause under the request id.',
  },
  unknown_outcome: {
    meaning: 'The broker may have executed the request.',
    remedy: 'Repeat, or reconcile; never use a new key.',
  },
  terminal_unavailable: {
    meaning: 'There is no session with the broker, or the terminal did not answer a read.',
    remedy: 'Repeat.',
  },
  account_not_synchronized: {
    meaning:
      'The terminal shows what no deal explains, such as a list without an open position, or another balance. Nothing was sent.',
    remedy: 'Repeat. A known position can be closed by its ticket. `GET /health` names what is not explained.',
  },
  reconnect_cooldown: {
    meaning: 'The session with the broker could not be restored; the next attempt follows a cooldown.',
    remedy: 'Repeat.',
  },
  not_ready: { meaning: 'Only from /health/ready: a check is down.', remedy: 'Read `checks`.' },
  journal_unavailable: {
    meaning:
      'The journal, the audit log, the queue of alerts or the record of the equity cannot be used. Without the journal, nothing that adds risk is sent.',
    remedy: 'Free space on the disk, then repeat.',
  },
  kill_switch_file_error: {
    meaning:
      'The file of the kill switch could not be created or removed. `kill_switch_active` states whether trading is halted.',
    remedy: 'Correct KILL_SWITCH_FILE or its disk.',
  },
  journal_lost: {
    meaning:
      'The trade journal is not that of the last run, so the key may already have been used. Nothing that adds risk is sent.',
    remedy: 'Restore it, or reconcile and accept the journal.',
  },
  fence_pending: {
    meaning: 'The fence is raised, and a send of an earlier holder has no outcome yet.',
    remedy: 'Repeat the call, which waits again.',
  },
};
