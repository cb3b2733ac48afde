import type { FastifyRequest } from 'fastify';
import { ApiError, validationError } from '@libs/envelope';
import { highestToken, type FenceClaim } from '../trade-core/fence';
import type { Fences } from '../fences/fences';

const headerName = 'x-fence';
/** The rule of a strategy's name, as the daemon has it, and of a child of a portfolio. */
const acceptableName = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/;
const acceptableToken = /^[1-9]\d{0,15}$/;

/** Whether the request has an X-Fence header, in whatever form. */
export function namesFence(request: FastifyRequest): boolean {
  return request.headers[headerName] !== undefined;
}

/**
 * The fence that a trade request names in X-Fence as `name;token`; null if absent.
 * @throws ApiError validation_error if the header has another form or is repeated
 */
export function fenceOf(request: FastifyRequest): FenceClaim | null {
  const header = request.headers[headerName];
  if (header === undefined) return null;
  const [name = '', token = '', ...others] = typeof header === 'string' ? header.split(';') : [];
  const isToken = acceptableToken.test(token) && Number(token) <= highestToken;
  if (others.length === 0 && acceptableName.test(name) && isToken) return { name, token: Number(token) };
  const problem = `must be a name and a token as name;token: the name of PUT /fences, then a number from 1 to ${highestToken}`;
  throw validationError({ field: 'X-Fence', problem });
}

/** The same for a line of the audit log: null if the header has another form. */
export function readableFence(request: FastifyRequest): FenceClaim | null {
  try {
    return fenceOf(request);
  } catch {
    return null;
  }
}

/** Why the fence of a request does not allow it to trade, as far as is known before its send; null if it does. */
export function fenceProblem(request: FastifyRequest, fences: Fences): ApiError | null {
  try {
    return fences.refusal(fenceOf(request));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Validates the name of a fence from a path.
 * @throws ApiError validation_error if no strategy can have it
 */
export function requireFenceName(name: string): string {
  if (acceptableName.test(name)) return name;
  const problem = 'must be 1 to 128 letters, digits, dots, underscores, tildes or dashes, the first a letter or digit';
  throw validationError({ field: 'strategy', problem });
}
