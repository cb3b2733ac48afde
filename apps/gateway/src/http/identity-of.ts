import type { FastifyRequest } from 'fastify';
import { fingerprintOf } from './fingerprint';
import type { TradeIdentity } from '../trade-core/journal-records';
import { traceOf } from './trace-of';

/** The identity of a trade request, without its key. */
export function identityOf(request: FastifyRequest): Omit<TradeIdentity, 'clientOrderId'> {
  const path = request.url.split('?', 1)[0] ?? request.url;
  return {
    requestId: request.id,
    traceId: traceOf(request).traceId,
    keyRole: request.keyRole,
    method: request.method,
    path,
    route: `${request.method} ${request.routeOptions.url ?? path}`,
    fingerprint: fingerprintOf(request.method, path, request.body),
  };
}
