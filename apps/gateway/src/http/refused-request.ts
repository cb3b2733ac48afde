import type { FastifyRequest } from 'fastify';
import type { AuditFacts } from '../audit/audit-event';
import { fenceFacts } from '../fences/fence-facts';
import { requestedFacts } from '../trade-journal/requested-facts';
import { callerOf } from './key-access';
import { readableFence } from './fence-of';

/** The facts of a refused trade request for the audit log. */
export function refusedRequest(request: FastifyRequest, clientOrderId: string | null): AuditFacts {
  const { ticket } = (request.params ?? {}) as { readonly ticket?: string };
  return {
    ...callerOf(request),
    route: `${request.method} ${request.routeOptions.url ?? request.url.split('?', 1)[0]}`,
    client_order_id: clientOrderId,
    ...fenceFacts(readableFence(request)),
    ...requestedFacts(request.body, ticket),
  };
}
