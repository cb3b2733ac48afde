import type { FastifyRequest } from 'fastify';
import type { ApiError } from '@libs/envelope';
import { retryField } from '../trade-journal/retry-key';
import { idempotencyKeyOf } from './idempotency-key';

/** The field `retry_with` of an error of a trade route; empty on other routes and for a request without a key. */
export function retryFieldOf(error: ApiError, request: FastifyRequest): object {
  if (request.routeOptions.config.idempotent !== true) return {};
  return hasKey(request) ? retryField(error) : {};
}

/** A key that cannot be read has to be corrected, like any other field. */
function hasKey(request: FastifyRequest): boolean {
  try {
    return idempotencyKeyOf(request) !== null;
  } catch {
    return true;
  }
}
