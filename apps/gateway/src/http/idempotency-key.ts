import type { FastifyRequest } from 'fastify';
import { validationError } from '@libs/envelope';

/** 1 to 128 printable ASCII characters, of which one at least is not a blank. */
const acceptable = /^(?=.*\S)[\x20-\x7e]{1,128}$/;

/**
 * The idempotency key of a trade request: the Idempotency-Key header, or `client_order_id` in the body; null without.
 * @throws ApiError validation_error when it has another shape, or the two differ
 */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  const inBody = clientOrderIdOf(request.body);
  if (header !== undefined && (typeof header !== 'string' || !acceptable.test(header))) {
    throw validationError({ field: 'Idempotency-Key', problem: 'must be 1 to 128 printable ASCII characters' });
  }
  if (inBody !== undefined && (typeof inBody !== 'string' || !acceptable.test(inBody))) {
    throw validationError({
      field: 'client_order_id',
      problem: 'must be a text of 1 to 128 printable ASCII characters',
    });
  }
  if (header !== undefined && inBody !== undefined && header !== inBody) {
    throw validationError({ field: 'client_order_id', problem: 'must equal the Idempotency-Key header' });
  }
  return header ?? inBody ?? null;
}

/**
 * A key as it is named in a path.
 * @throws ApiError validation_error when no request can have it
 */
export function requireKey(key: string): string {
  if (acceptable.test(key)) return key;
  throw validationError({ field: 'key', problem: 'must be 1 to 128 printable ASCII characters, not all blank' });
}

function clientOrderIdOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('client_order_id' in body)) return undefined;
  return body.client_order_id ?? undefined;
}
