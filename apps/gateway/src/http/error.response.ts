import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { errorTypes, type ErrorType } from '@libs/envelope';
import { haltedText } from '../kill-switch/halted-error';

/** The field `remembered` of the answers to closes and cancels. */
export const rememberedMeaning =
  'Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is ' +
  'restarted before they can be written, a request repeated with the same idempotency key is sent again.';

/** The error envelope, as every answer other than success carries it. */
export class ErrorResponse {
  @ApiProperty({ enum: [false], example: false })
  ok: false;

  @ApiProperty({ description: 'Human-readable description of the error.' })
  error: string;

  @ApiProperty({ enum: errorTypes, description: 'Machine-readable error type.' })
  error_type: ErrorType;

  @ApiPropertyOptional({
    description: 'Details of the error: `[{field, problem}]` for a validation_error, `{limit, value}` for a limit.',
    oneOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }],
  })
  details?: unknown;

  @ApiProperty({ description: 'ID of the request; equal to the X-Request-ID header and to the log.' })
  request_id: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Error reported by the terminal.' })
  terminal_error?: unknown;

  @ApiPropertyOptional({
    enum: ['same_key', 'new_key'],
    example: 'new_key',
    description:
      'Errors of trade routes, for a request with a key: under which key it is repeated, if it is. `same_key`: nothing was sent, or ' +
      'the outcome is unknown, and only the same request under its own key is safe. `new_key`: the answer under this key ' +
      'stays, or the request has to be corrected. Absent if a repetition does not help.',
  })
  retry_with?: 'same_key' | 'new_key';

  @ApiPropertyOptional({ enum: [false], example: false, description: rememberedMeaning })
  remembered?: false;
}

interface Example {
  readonly error: string;
  readonly details?: unknown;
  readonly terminal_error?: unknown;
  /** Members in addition to the envelope's own. */
  readonly fields?: object;
}

const examples: Record<ErrorType, Example> = {
  validation_error: {
    error: 'volume: must be a positive number',
    details: [{ field: 'volume', problem: 'must be a positive number' }],
  },
  authentication_error: { error: 'a valid bearer token is required' },
  read_only_key: { error: 'this key is read-only' },
  forbidden: { error: 'the Host header is not allowed' },
  not_found: { error: 'the broker has no symbol EURUSDX; did you mean EURUSD?' },
  method_not_allowed: { error: 'PATCH is not allowed here; allowed: GET, HEAD' },
  idempotency_conflict: {
    error:
      'the idempotency key my-bot-2026-01-05-0001 was used by a request with different parameters: POST /order, first used ' +
      'at 2026-01-05T10:00:00.000Z',
    details: { key: 'my-bot-2026-01-05-0001', route: 'POST /order', first_used_at: '2026-01-05T10:00:00.000Z' },
  },
  idempotency_in_progress: { error: 'a request with this idempotency key is still in progress' },
  fence_conflict: {
    error: 'the fence trend needs a token above 7; 6 is not',
    details: { fence: 'trend', token: 6, stored: 7 },
  },
  request_timeout: { error: 'the request was not received completely within the time limit' },
  account_mismatch: {
    error: 'the request is for account 100001; the logged-in account is 100002',
    details: { expected: 100001, actual: 100002 },
  },
  fenced_out: {
    error: 'the fence trend is at token 8: token 7 is fenced out',
    details: { fence: 'trend', token: 7, stored: 8 },
  },
  fence_required: {
    error: 'magic 7001 belongs to the fence trend: send X-Fence with its token',
    details: { fence: null, token: null, magic: 7001, owner: 'trend' },
  },
  payload_too_large: { error: 'the body is too large: at most 64 KiB' },
  unsupported_media_type: {
    error: 'the body must be JSON: send Content-Type: application/json, not text/plain',
  },
  symbol_not_allowed: {
    error: 'XAUUSD is not in SYMBOL_WHITELIST',
    details: { limit: ['EURUSD'], value: 'XAUUSD', setting: 'SYMBOL_WHITELIST' },
  },
  volume_limit_exceeded: {
    error: 'volume 250 is above MAX_ORDER_VOLUME 100',
    details: { limit: 100, value: 250, setting: 'MAX_ORDER_VOLUME' },
  },
  price_deviation_exceeded: {
    error: 'price 1.4 deviates by 29.6 percent from the market, above MAX_PRICE_DEVIATION_PCT 20',
    details: { limit: 20, value: 29.6, setting: 'MAX_PRICE_DEVIATION_PCT' },
  },
  order_deviation_exceeded: {
    error: 'deviation 5000 is above MAX_ORDER_DEVIATION 1000',
    details: { limit: 1000, value: 5000, setting: 'MAX_ORDER_DEVIATION' },
  },
  quote_too_old: {
    error: 'the quote of EURUSD is 42.1 s old; MAX_QUOTE_AGE_SECONDS is 10',
    details: { setting: 'MAX_QUOTE_AGE_SECONDS', limit: 10, value: 42.1, symbol: 'EURUSD' },
  },
  order_rate_exceeded: {
    error: '30 entries were sent in the last minute; MAX_ORDERS_PER_MINUTE is 30',
    details: { limit: 30, value: 30, setting: 'MAX_ORDERS_PER_MINUTE' },
  },
  open_volume_exceeded: {
    error: '4.9 lots are open; with 0.2 more they exceed MAX_OPEN_VOLUME 5',
    details: { limit: 5, value: 4.9, requested: 0.2, setting: 'MAX_OPEN_VOLUME' },
  },
  daily_loss_exceeded: {
    error: "the loss of the broker's day is 512.4; MAX_DAILY_LOSS is 500",
    details: { limit: 500, value: 512.4, setting: 'MAX_DAILY_LOSS' },
  },
  server_time_unavailable: {
    error: 'the expiration cannot be converted: the broker server time is unknown',
    details: { reason: 'unknown' },
  },
  broker_rejected: {
    error: 'the broker rejected the request: NO_MONEY',
    details: { retryable: false },
    terminal_error: { retcode: 10019, retcode_name: 'NO_MONEY', comment: 'No money' },
  },
  key_void: {
    error: 'this idempotency key is void: nothing was sent, and nothing will be sent under it',
    details: { key: 'my-bot-2026-01-05-0001' },
  },
  kill_switch_active: { error: haltedText },
  too_many_requests: { error: 'more than 32 requests are waiting on this connection; this request was not processed' },
  headers_too_large: { error: 'the request line and headers exceed 16 KiB' },
  internal_error: { error: 'internal error' },
  unknown_outcome: {
    error: 'the outcome is unknown: the broker may have accepted the request',
    details: {
      guidance: 'Do not send the request again with a new key. Repeat it with this key, or check GET /reconcile.',
    },
  },
  terminal_unavailable: { error: 'the login to the terminal is in progress', details: { reason: 'connecting' } },
  account_not_synchronized: {
    error: 'the account is not synchronized: position 50012345 is not shown; no deal has closed it',
    details: { reason: 'position 50012345 is not shown; no deal has closed it', tickets: [50012345] },
  },
  reconnect_cooldown: {
    error:
      'there is no session with the terminal: the broker refused the login (Terminal: Authorization failed, -6): check ' +
      'TERMINAL_LOGIN, TERMINAL_PASSWORD and TERMINAL_SERVER; the next attempt follows the cooldown',
    details: {
      reason: 'cooldown',
      problem: 'login_refused',
      settings: ['TERMINAL_LOGIN', 'TERMINAL_PASSWORD', 'TERMINAL_SERVER'],
    },
    terminal_error: { code: -6, message: 'Terminal: Authorization failed' },
  },
  not_ready: {
    error: 'not ready',
    fields: {
      status: 'not_ready',
      terminal_status: 'connected',
      kill_switch_active: true,
      checks: {
        terminal: { status: 'up' },
        trading: { status: 'up' },
        kill_switch: { status: 'down', reason: haltedText },
        kill_switch_file: { status: 'up' },
        account: { status: 'up' },
        audit: { status: 'up' },
        journal: { status: 'up' },
        process: { status: 'up' },
      },
    },
  },
  kill_switch_file_error: {
    error: 'trading is halted, but the kill-switch file could not be created: permission denied (EACCES)',
    fields: { kill_switch_active: true, flatten: null },
  },
  journal_unavailable: { error: 'the trade journal cannot be written: no new trades are accepted' },
  journal_lost: {
    error: 'the trade journal was lost: the audit log belongs to another journal',
    details: {
      guidance: 'Reads, closes and cancels are allowed. Restore the journal, or accept it with POST /journal/accept.',
      journal_id: 'b5f9c8a2-7d0e-4a51-9c5e-2f6f2a1d8e33',
    },
  },
  fence_pending: {
    error: 'the fence trend is raised; sends under a lower token without an outcome: 1; repeat the request',
    details: { fence: 'trend', sends: 1 },
  },
};

/** A complete example of one error type, for the documentation. */
export function errorExample(type: ErrorType): object {
  const { error, details, terminal_error, fields } = examples[type];
  return {
    ok: false,
    error,
    error_type: type,
    ...(details === undefined ? {} : { details }),
    ...fields,
    request_id: '6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10',
    ...(terminal_error === undefined ? {} : { terminal_error }),
  };
}
