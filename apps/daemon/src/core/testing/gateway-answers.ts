import type { OrderAnswer, TradeOutcome } from '@libs/gateway-client';
import type { AskedEvent } from '../core-event';
import type { IntentEffect } from '../intent-life';

export type Outcome = TradeOutcome<OrderAnswer>;

/** No answer, and a refusal that passes. */
export const failures: readonly Outcome[] = [
  { kind: 'unknown', reason: 'no answer', status: null, errorType: null, retryAfterMs: null },
  {
    ...{ kind: 'rejected', status: 422, errorType: 'broker_rejected', error: 'no', details: null, retryable: false },
    terminalError: { retcode: 10004, retcode_name: 'REQUOTE', comment: '' },
  },
];

/** What is asked of a gateway, and what only takes time. */
type Asked = Exclude<IntentEffect, { readonly type: `write ${string}` }>;

/**
 * The event that an effect ends with at a gateway that has no trace of the request.
 * @param outcome of a send
 * @param pass has the time of a wait pass, in milliseconds
 */
export function answeredWith(effect: Asked, outcome: Outcome, pass: (ms: number) => void): AskedEvent {
  switch (effect.type) {
    case 'show':
    case 'read account':
      return { type: 'seen' };
    case 'send':
      return { type: 'answered', outcome };
    case 'check journal':
      return { type: 'journal', journal: { id: 'A', state: 'ok' } };
    case 'read key':
      return { type: 'reported', report: null };
    case 'void key':
      return { type: 'voided', report: { status: 'void', response_status: 422, response: null } };
    default:
      pass(effect.ms);
      return { type: 'timer' };
  }
}
