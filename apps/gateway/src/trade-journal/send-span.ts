import { spanIdNamed, traceNamed, type FinishedSpan } from '@libs/tracing';
import type { SettledOutcome, TradeRequestRecord } from '../trade-core/journal-records';

/** The span of one call of `order_send`, below the span of its request. @param endMs UTC milliseconds */
export function sendSpan(
  { requestId, traceId = traceNamed(requestId).traceId, clientOrderId }: TradeRequestRecord,
  intentId: string,
  outcome: SettledOutcome,
  endMs: number,
  durationMs: number,
): FinishedSpan {
  const retcode = 'result' in outcome ? outcome.result?.retcode : undefined;
  return {
    name: 'order_send',
    kind: 'client',
    context: { traceId, spanId: spanIdNamed(intentId), isSampled: true },
    parentSpanId: requestSpanId(traceId, requestId),
    startMs: endMs - durationMs,
    durationMs,
    attributes: {
      intent_id: intentId,
      outcome: outcome.kind,
      ...(clientOrderId === null ? {} : { client_order_id: clientOrderId }),
      ...(retcode === undefined ? {} : { retcode }),
    },
    isError: outcome.kind === 'unknown',
  };
}

/** The span of a request, by what its sends know of it. */
export function requestSpanId(traceId: string, requestId: string): string {
  return spanIdNamed(`${traceId}/${requestId}`);
}
