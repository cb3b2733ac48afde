import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '@libs/clock';
import { parseTraceparent, type Spans } from '@libs/tracing';
import { requestSpanId } from '../trade-journal/send-span';
import { traceOf } from './trace-of';

/** Records a span for each request that changes something. Reads are many and light: they have metrics only. */
export function recordRequestSpans(fastify: FastifyInstance, spans: Spans, clock: Clock): void {
  if (!spans.isEnabled) return;
  fastify.addHook('onResponse', (request, reply, done) => {
    if (request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'OPTIONS') {
      const { traceId, isSampled } = traceOf(request);
      const route = request.routeOptions.url ?? 'unknown route';
      spans.record({
        name: `${request.method} ${route}`,
        kind: 'server',
        context: { traceId, spanId: requestSpanId(traceId, request.id), isSampled },
        parentSpanId: parentOf(request),
        startMs: clock.nowMs() - reply.elapsedTime,
        durationMs: reply.elapsedTime,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': reply.statusCode,
          request_id: request.id,
        },
        isError: reply.statusCode >= 500,
      });
    }
    done();
  });
}

function parentOf({ headers }: FastifyRequest): string | null {
  return parseTraceparent(headers['traceparent'])?.spanId ?? null;
}
