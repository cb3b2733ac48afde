import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

interface WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

/** The caller's X-Request-ID if it is short and safe, else a new UUID. */
export const requestIdOf = requestIds(randomUUID);

/** For Fastify's `genReqId`: as {@link requestIdOf}, with ids from another source. */
export function requestIds(newId: () => string): (request: WithHeaders) => string {
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && acceptable.test(given) ? given : newId();
  };
}

/** Sets the request's id on every response, including errors. */
export function stampRequestIds(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}
