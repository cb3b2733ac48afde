import type { lastErrorFields, RecordOf } from '@libs/records';

/** The terminal's `last_error()` codes (docs: Python integration, `last_error`). */
export const LastErrorCode = {
  OK: 1,
  FAIL: -1,
  INVALID_PARAMS: -2,
  NO_MEMORY: -3,
  NOT_FOUND: -4,
  INVALID_VERSION: -5,
  AUTH_FAILED: -6,
  UNSUPPORTED: -7,
  AUTO_TRADING_DISABLED: -8,
  INTERNAL_FAIL: -10000,
  INTERNAL_FAIL_SEND: -10001,
  INTERNAL_FAIL_RECEIVE: -10002,
  INTERNAL_FAIL_INIT: -10003,
  INTERNAL_FAIL_CONNECT: -10004,
  INTERNAL_FAIL_TIMEOUT: -10005,
} as const;

/** The result of `last_error()`, which stays until the next call. */
export type LastError = Readonly<RecordOf<typeof lastErrorFields>>;

/** True for the codes that mean the terminal itself cannot be reached (IPC). */
export function isLinkFailure(code: number): boolean {
  return code <= LastErrorCode.INTERNAL_FAIL;
}

/** Why a call to the terminal got no answer. */
export type TerminalFailure =
  /** No session: never logged in, logged out, or the link is down. */
  | 'disconnected'
  /** The call's deadline passed. */
  | 'timeout'
  /** Too many calls are queued already; nothing was sent. */
  | 'busy'
  /** The terminal answered with an error of its own. */
  | 'failed';

/** A read that got no answer. It must never be treated as an empty one. */
export class TerminalUnavailableError extends Error {
  constructor(
    readonly failure: TerminalFailure,
    readonly lastError: LastError,
  ) {
    super(`${lastError.message} (${lastError.code})`);
    this.name = 'TerminalUnavailableError';
  }
}
