import { ApiError } from '@libs/envelope';
import { brokerRejection, obstacleOf, type RejectedRequest } from '@libs/order-drafts';
import { isRetryable, retcodeName, type OrderCheckResult, type OrderSendResult } from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-core/journal-records';
import { terminalErrorOf, unknownOutcome } from '../trade-journal/unknown-outcome.error';

/**
 * The server's result of a send that took effect.
 * @param request that was sent, as far as it explains a rejection
 * @throws ApiError broker_rejected, terminal_unavailable or unknown_outcome for any other outcome
 */
export function requireDone(
  outcome: SettledOutcome,
  clientOrderId: string | null,
  request: RejectedRequest = {},
): OrderSendResult {
  if (outcome.kind === 'done') return outcome.result;
  throw outcomeError(outcome, clientOrderId, request);
}

/** The error for a send that did not take effect, or may not have. */
function outcomeError(
  outcome: Exclude<SettledOutcome, { readonly kind: 'done' }>,
  clientOrderId: string | null,
  request: RejectedRequest,
): ApiError {
  switch (outcome.kind) {
    case 'rejected':
      return brokerRejected(outcome.result, outcome.lastError, request);
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

/** The return code of a send that the broker rejected; null for any other outcome. */
export function retcodeOf(outcome: SettledOutcome): number | null {
  return outcome.kind === 'rejected' ? (outcome.result?.retcode ?? null) : null;
}

/** 422: the broker did nothing, which is proven. */
export function brokerRejected(
  result: OrderSendResult | OrderCheckResult | null,
  lastError: { readonly code: number; readonly message: string } | null,
  request: RejectedRequest = {},
): ApiError {
  const retcode = result?.retcode ?? null;
  const check = result !== null && 'margin' in result ? result : null;
  const obstacle = obstacleOf(retcode, lastError, request);
  return new ApiError('broker_rejected', brokerRejection(retcode, lastError, check, request), {
    details: {
      retryable: retcode !== null && isRetryable(retcode),
      ...(obstacle === null ? {} : { reason: obstacle }),
    },
    terminalError: result
      ? { retcode: result.retcode, retcode_name: retcodeName(result.retcode), comment: result.comment }
      : terminalErrorOf(null, lastError),
  });
}

/** 422 for a request with an unknown outcome of which recovery found no trace at the broker. */
export function nothingFound(): ApiError {
  return new ApiError('broker_rejected', 'the broker has no trace of the request: nothing was done', {
    details: { retryable: true, reason: 'absent' },
  });
}
