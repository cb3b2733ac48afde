import { validationError } from '@libs/envelope';

const headerName = 'idempotency-key';
/** 1 to 128 printable ASCII characters, of which one at least is not a blank. */
const acceptable = /^(?=.*\S)[\x20-\x7e]{1,128}$/;

/** What of a request holds its key; a FastifyRequest is one. */
export interface KeyedRequest {
  /** Names and values in turn, as received: elsewhere Node joins repeated headers with a comma. */
  readonly raw: { readonly rawHeaders: readonly string[] };
  readonly body: unknown;
}

/**
 * The idempotency key of a trade request: the Idempotency-Key header, or `client_order_id` in the body; null without.
 * Equal headers count as one.
 * @throws ApiError validation_error when it has another shape, or is given twice and differs
 */
export function idempotencyKeyOf(request: KeyedRequest): string | null {
  const [header, ...others] = headersOf(request);
  const inBody = clientOrderIdOf(request.body);
  if (others.length > 0) {
    throw validationError({ field: 'Idempotency-Key', problem: 'must not be given twice with different values' });
  }
  if (header !== undefined && !acceptable.test(header)) {
    throw validationError({ field: 'Idempotency-Key', problem: 'must be 1 to 128 printable ASCII characters' });
  }
  if (inBody !== undefined && (typeof inBody !== 'string' || !acceptable.test(inBody))) {
    throw validationError({
      field: 'client_order_id',
      problem: 'must be a text of 1 to 128 printable ASCII characters, not all blank',
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

/** The different values of the header. */
function headersOf({ raw: { rawHeaders } }: KeyedRequest): string[] {
  const values = rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === headerName);
  return [...new Set(values)];
}

function clientOrderIdOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('client_order_id' in body)) return undefined;
  return body.client_order_id ?? undefined;
}
