import type { FastifyRequest } from 'fastify';
import { validationError } from '@libs/envelope';

/**
 * The login that a request says it is meant for, by its X-Expect-Login header; null without.
 * @throws ApiError validation_error when it is no login
 */
export function expectedLoginOf(request: FastifyRequest): number | null {
  const header = request.headers['x-expect-login'];
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[1-9]\d{0,15}$/.test(header) && Number.isSafeInteger(Number(header))) {
    return Number(header);
  }
  throw validationError({ field: 'X-Expect-Login', problem: 'must be a login: a positive whole number' });
}
