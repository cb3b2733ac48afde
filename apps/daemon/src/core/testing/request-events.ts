import type { OrderAnswer, TradeOutcome } from '@libs/gateway-client';
import type { KeyReport, RequestEvent, RequestFacts } from '../request-lifecycle';

type Outcome = TradeOutcome<OrderAnswer>;

/** The gateway has the journal of the request, and the request is fresh and wanted. */
export const facts: RequestFacts = { journalId: 'A', isFresh: true, isWanted: true, isStopping: false };
export const done: Outcome = { kind: 'done', status: 200, body: { result: { order: 7 } }, replayed: false };
export const unknown: Outcome = {
  kind: 'unknown',
  reason: 'no answer',
  status: null,
  errorType: null,
  retryAfterMs: null,
};
export const refused = (errorType: string, status = 422): Outcome => {
  const refusal = { status, errorType, error: errorType, details: null, terminalError: null };
  return status === 423 ? { kind: 'blocked', ...refusal } : { kind: 'rejected', retryable: false, ...refusal };
};
export const report = (
  status: KeyReport['status'],
  response_status = 200,
  response: unknown = { ok: true },
): KeyReport => ({
  ...{ status, response_status, response },
});

/** Events that the request lifecycle receives. */
export const answered = (outcome: Outcome): RequestEvent => ({ type: 'answered', outcome });
export const journal = (id: string | null, state: 'ok' | 'lost' = 'ok'): RequestEvent => ({
  ...{ type: 'journal', journal: { id, state } },
});
export const reported = (of: KeyReport | null): RequestEvent => ({ type: 'reported', report: of });
export const voided = (of: KeyReport): RequestEvent => ({ type: 'voided', report: of });
export const failed: RequestEvent = { type: 'failed' };
export const timer: RequestEvent = { type: 'timer' };
