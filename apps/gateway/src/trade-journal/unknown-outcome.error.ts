import { ApiError } from '@libs/envelope';
import { retcodeName, type LastError, type OrderSendResult } from '@libs/terminal-client';
import type { StoredAnswer } from '../trade-core/core-event';
import { keptAnswer } from './retry-key';

const guidance =
  'The broker may have executed this. Do not send it again under a new key: repeat it with the same Idempotency-Key, ' +
  'or read GET /trade_requests/{key} and GET /reconcile; the outcome is being looked up.';

const guidanceForGood =
  'The broker may have executed this, and the outcome can no longer be determined: read the position or order and ' +
  'continue from its current state. A repetition under the same Idempotency-Key gives this answer again.';

/** The server's result of a request, in the form of `terminal_error`. */
export function terminalErrorOf(result: OrderSendResult | null, lastError: LastError | null): object | undefined {
  if (result) return { retcode: result.retcode, retcode_name: retcodeName(result.retcode), comment: result.comment };
  return lastError ?? undefined;
}

/** 502: the broker may have accepted. */
export function unknownOutcome(
  reason: string,
  known: {
    readonly clientOrderId: string | null;
    readonly result?: OrderSendResult | null;
    readonly lastError?: LastError | null;
    /** No longer looked up, because the evidence is gone. */
    readonly undecidable?: true;
    /** Fields in addition to the envelope's own. */
    readonly fields?: Readonly<Record<string, unknown>>;
    readonly cause?: unknown;
  },
): ApiError {
  const terminalError = terminalErrorOf(known.result ?? null, known.lastError ?? null);
  return new ApiError('unknown_outcome', `the outcome is unknown: ${reason}`, {
    details: {
      guidance: known.undecidable ? guidanceForGood : guidance,
      reason,
      client_order_id: known.clientOrderId,
      ...(known.undecidable ? { undecidable: true } : {}),
    },
    ...(terminalError === undefined ? {} : { terminalError }),
    ...(known.fields === undefined ? {} : { fields: known.fields }),
    cause: known.cause,
  });
}

/** The answer of a request that is unknown from an earlier process or journal. */
export function unknownOutcomeAnswer(reason: string, clientOrderId: string | null, requestId: string): StoredAnswer {
  return keptAnswer(unknownOutcome(reason, { clientOrderId }), requestId);
}
