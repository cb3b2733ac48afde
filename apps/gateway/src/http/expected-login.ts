import type { FastifyRequest } from 'fastify';
import { ApiError, validationError } from '@libs/envelope';

/**
 * The login that a request is meant for, from its X-Expect-Login header; null if absent.
 * @throws ApiError validation_error if it is not an account number
 */
export function expectedLoginOf(request: FastifyRequest): number | null {
  const header = request.headers['x-expect-login'];
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[1-9]\d{0,15}$/.test(header) && Number.isSafeInteger(Number(header))) {
    return Number(header);
  }
  throw validationError({ field: 'X-Expect-Login', problem: 'must be an account number: a positive integer' });
}

/** The error for what is on record of another account. @param what it is of, such as "the request under its key" */
export function recordedOnOther(what: string, expected: number, actual: number): ApiError {
  return new ApiError('account_mismatch', `the request is for account ${expected}; ${what} is of account ${actual}`, {
    details: { expected, actual },
  });
}
