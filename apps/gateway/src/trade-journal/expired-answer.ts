import { ApiError } from '@libs/envelope';
import type { StoredAnswer } from '../trade-core/core-event';
import type { RememberedKey } from '../trade-core/known-key';
import { unknownOutcome } from './unknown-outcome.error';
import { keptAnswer } from './retry-key';

/** The error for a void key: nothing was sent, and nothing ever will be. */
export function keyIsVoid(key: string): ApiError {
  return new ApiError('key_void', 'this idempotency key is void: nothing was sent, and nothing will be sent under it', {
    details: { key },
  });
}

/**
 * The answer for a key whose original answer has expired: it states the outcome of the request, with a status of the
 * same class as the original.
 */
export function expiredAnswer(entry: RememberedKey, key: string, requestId: string): StoredAnswer {
  if (entry.status === 'void') return keptAnswer(keyIsVoid(key), requestId);
  if (entry.status === 'accepted') {
    const reason = 'it could not be determined; the original answer is no longer kept';
    return keptAnswer(unknownOutcome(reason, { clientOrderId: key, undecidable: true }), requestId);
  }
  if (entry.responseStatus < 400) {
    const isInPart = entry.responseStatus === 207;
    const body = {
      ok: true,
      message: isInPart
        ? 'a part of this request failed; its original answer is no longer kept: read GET /get_positions'
        : 'this request succeeded; its original answer is no longer kept',
      // The original answer had the broker's full result; only the ticket remains.
      result: entry.route === 'POST /order' && entry.ticket !== null ? { order: entry.ticket } : null,
      ticket: entry.ticket,
      recovered: entry.status === 'recovered',
      original_response_expired: true,
      original_status: entry.responseStatus,
      client_order_id: key,
    };
    return { status: isInPart ? 207 : 200, body: JSON.stringify(body) };
  }
  const error = new ApiError('broker_rejected', 'nothing was done; the original answer is no longer kept', {
    details: { retryable: false, reason: entry.status, original_response_expired: true },
  });
  return keptAnswer(error, requestId);
}
