import { LastErrorCode, type LastError } from '../last-error';
import type { SendOutcome } from '../trade-request';
import { orderSendResult } from './answer-shape';
import type { CallOutcome } from './link-connection';
import { isObject, type LinkErrorKind } from './link-protocol';

/**
 * The outcome of a send, from the outcome of its call. It is refused only on proof: the send never left this process,
 * or the peer states that it never ran. Anything else without an answer is unknown.
 */
export function sendOutcome(outcome: CallOutcome): SendOutcome {
  switch (outcome.kind) {
    case 'result':
      return answeredOutcome(outcome.result);
    case 'not-sent':
      return { kind: 'refused', lastError: outcome.lastError };
    case 'no-answer':
      return unknown(outcome.lastError);
    case 'error': {
      const { code, message, data } = outcome.error;
      const lastError = { code, message };
      return provesRefusal(code, data?.kind) ? { kind: 'refused', lastError } : unknown(lastError);
    }
  }
}

/** The peer answers a send with its own outcome; an unreadable one proves nothing. */
function answeredOutcome(value: unknown): SendOutcome {
  try {
    if (isObject(value) && value['kind'] === 'answered') {
      return { kind: 'answered', result: orderSendResult(value['result']) };
    }
    if (isObject(value) && value['kind'] === 'refused') {
      return { kind: 'refused', lastError: readLastError(value['lastError']) };
    }
    if (isObject(value) && value['kind'] === 'unknown') return unknown(readLastError(value['lastError']));
  } catch {
    // Fall through to the only safe interpretation.
  }
  return unknown({ code: LastErrorCode.FAIL, message: 'the answer to the send cannot be read' });
}

/** A send that the peer did not accept (busy, protocol), or that the terminal's package refused unsent. */
function provesRefusal(code: number, kind: LinkErrorKind | undefined): boolean {
  return kind === 'refused' || kind === 'busy' || kind === 'protocol' || code === LastErrorCode.INVALID_PARAMS;
}

function unknown(lastError: LastError): SendOutcome {
  return { kind: 'unknown', reason: lastError.message, lastError };
}

function readLastError(value: unknown): LastError {
  if (!isObject(value) || typeof value['code'] !== 'number') throw new TypeError('no last_error');
  return { code: value['code'], message: String(value['message']) };
}
