import { single } from '@libs/envelope';
import { expiredAnswer } from '../trade-journal/expired-answer';
import type { KnownKey } from '../trade-core/known-key';
import type { TradeRequestResponse } from './trade-request.response';

/** The journal's record of a key; `response` is the body of the answer to a repeated request. */
export function tradeRequestReport(key: string, known: KnownKey, requestId: string): TradeRequestResponse {
  if (known.kind === 'remembered') {
    const { entry } = known;
    const answer = expiredAnswer(entry, key, requestId);
    return single({
      key,
      route: entry.route,
      status: entry.status,
      trace_id: null,
      created_at: entry.createdAtMs === null ? null : new Date(entry.createdAtMs).toISOString(),
      response_status: answer.status,
      response: JSON.parse(answer.body) as unknown,
    });
  }
  const { record } = known;
  return single({
    key,
    route: record.route,
    status: record.status,
    trace_id: record.traceId ?? null,
    created_at: new Date(record.createdAtMs).toISOString(),
    response_status: record.responseStatus,
    response: record.response === null ? null : (JSON.parse(record.response) as unknown),
  });
}
