import type { FastifyRequest } from 'fastify';
import { parseTraceparent, traceNamed, type TraceContext } from '@libs/tracing';

/**
 * The trace of a request: the one of its `traceparent` header, or one of its own, from the request id, if the header is missing or
 * invalid. It is computed where it is needed, because light reads do not need it.
 */
export function traceOf({ headers, id }: Pick<FastifyRequest, 'headers' | 'id'>): TraceContext {
  return parseTraceparent(headers['traceparent']) ?? traceNamed(id);
}
