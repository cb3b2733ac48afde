import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import type { Caller, KeyRole } from '../audit/caller';
import type { KeyRoleOf } from './api-key';
import { traceOf } from './trace-of';

declare module 'fastify' {
  interface FastifyRequest {
    /** Role of the key that it carries; null until the key is checked, and without a valid one. */
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
 * Refuses a request that may have a body and lacks a sufficient key before the body is read: without the key, neither the size,
 * the form nor the content of a body is judged. Routes that answer without a key only read, or check a secret of their own.
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
