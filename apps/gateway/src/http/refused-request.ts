import type { FastifyRequest } from 'fastify';
import { requestedFacts } from '../trade-journal/requested-facts';
import type { RefusedRequest } from '../trade-journal/trade-refusals';
import { callerOf } from './key-access';
import { readableFence } from './fence-of';

/** The facts of a refused trade request for the audit log. */
export function refusedRequest(request: FastifyRequest, clientOrderId: string | null): RefusedRequest {
  const { ticket } = (request.params ?? {}) as { readonly ticket?: string };
  return {
    caller: callerOf(request),
    route: `${request.method} ${request.routeOptions.url ?? request.url.split('?', 1)[0]}`,
    clientOrderId,
    fence: readableFence(request),
    requested: requestedFacts(request.body, ticket),
  };
}
