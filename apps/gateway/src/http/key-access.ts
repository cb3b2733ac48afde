import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import type { Caller, KeyRole } from '../audit/caller';
import type { KeyRoleOf } from './api-key';
import { traceOf } from './trace-of';

declare module 'fastify' {
  interface FastifyRequest {
    /** Role of the request's key; null if the key is not checked yet, or is not valid. */
    keyRole: KeyRole | null;
  }
  interface FastifyContextConfig {
    /** What the route needs; missing on a route that does not declare it. */
    readonly access?: 'public' | 'bearer' | 'secret';
    /** Whether the route changes something; missing on a route that does not declare it. */
    readonly changes?: boolean;
    /** Whether the route accepts an idempotency key. */
    readonly idempotent?: boolean;
  }
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks the key of a request that may have a body before the body is read. A caller without a key learns nothing of what a body
 * may be: neither 413 nor 415 nor 400. Routes that answer without a key only read, or check a secret of their own.
 */
export function requireKeyBeforeReading(fastify: FastifyInstance, roleOf: KeyRoleOf): void {
  fastify.decorateRequest('keyRole', null);
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.is404 || reads.has(request.method) || request.routeOptions.config.access === 'secret') return done();
    request.keyRole = roleOf(request.headers.authorization);
    done(keyProblem(request.keyRole, request.routeOptions.config.changes !== false, roleOf) ?? undefined);
  });
}

/** Why a key does not permit a request; null if it does. @param changes whether the route changes something */
export function keyProblem(
  role: KeyRole | null,
  changes: boolean,
  { hasKeys }: Pick<KeyRoleOf, 'hasKeys'>,
): ApiError | null {
  if (!role) {
    const text = hasKeys
      ? 'a valid bearer token is required'
      : 'the gateway has no API_KEY, so no token is valid: set it, and restart the gateway';
    return new ApiError('authentication_error', text, {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return role === 'readonly' && changes ? new ApiError('read_only_key', 'this key is read-only') : null;
}

/** The caller of a request that changes something, for the audit log. */
export function callerOf(request: FastifyRequest): Caller {
  return { request_id: request.id, trace_id: traceOf(request).traceId, api_key: request.keyRole };
}
