import { ApiError } from '@libs/envelope';
import {
  isRetryable,
  LastErrorCode,
  retcodeName,
  type OrderCheckResult,
  type OrderSendResult,
} from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-journal/journal-records';
import { terminalErrorOf, unknownOutcome } from '../trade-journal/unknown-outcome.error';

/**
 * The server's result of a send that took effect.
 * @throws ApiError broker_rejected, terminal_unavailable or unknown_outcome for any other outcome
 */
export function requireDone(outcome: SettledOutcome, clientOrderId: string | null): OrderSendResult {
  if (outcome.kind === 'done') return outcome.result;
  throw outcomeError(outcome, clientOrderId);
}

/** The answer to a send that did not take effect, or may not have. */
export function outcomeError(
  outcome: Exclude<SettledOutcome, { readonly kind: 'done' }>,
  clientOrderId: string | null,
): ApiError {
  switch (outcome.kind) {
    case 'rejected':
      return brokerRejected(outcome.result, outcome.lastError);
    case 'not_sent':
      return new ApiError('terminal_unavailable', `nothing was sent: ${outcome.reason}`, {
        ...(outcome.lastError ? { terminalError: outcome.lastError } : {}),
      });
    case 'unknown':
      return unknownOutcome(outcome.reason, { clientOrderId, result: outcome.result, lastError: outcome.lastError });
    case 'absent':
      return nothingFound();
  }
}

/** 422: it is proven that the broker did nothing. */
export function brokerRejected(
  result: OrderSendResult | OrderCheckResult | null,
  lastError: { readonly code: number; readonly message: string } | null,
): ApiError {
  const retcode = result?.retcode;
  const isClosedToPrograms = result === null && lastError?.code === LastErrorCode.AUTO_TRADING_DISABLED;
  const name = retcode === undefined ? (lastError?.message ?? 'refused') : retcodeName(retcode);
  const problem = isClosedToPrograms
    ? 'the terminal rejects every order of a program: its option "Disable algorithmic trading via external Python API" is on'
    : `the broker rejected the request: ${name}`;
  return new ApiError('broker_rejected', problem, {
    details: { retryable: retcode !== undefined && isRetryable(retcode) },
    terminalError: result
      ? { retcode: result.retcode, retcode_name: retcodeName(result.retcode), comment: result.comment }
      : terminalErrorOf(null, lastError),
  });
}

/** 422 for a request whose unknown outcome was looked up: the broker knows nothing of it. */
export function nothingFound(): ApiError {
  return new ApiError('broker_rejected', 'the broker has no trace of the request: nothing was done', {
    details: { retryable: true, reason: 'absent' },
  });
}
