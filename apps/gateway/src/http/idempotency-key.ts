import { validationError } from '@libs/envelope';

const headerName = 'idempotency-key';
/** 1 to 128 printable ASCII characters, at least one of them not a space; `.` and `..` are steps in the path of a URL. */
export const acceptableKey = /^(?=.*\S)(?!\.\.?$)[\x20-\x7e]{1,128}$/;

/** The part of a request that contains its key; a FastifyRequest is one. */
export interface KeyedRequest {
  /** Alternating names and values, as received; in `headers`, Node joins repeated headers with a comma. */
  readonly raw: { readonly rawHeaders: readonly string[] };
  readonly body: unknown;
}

/**
 * The idempotency key of a trade request: the Idempotency-Key header, or `client_order_id` in the body; null if absent.
 * Equal headers count as one.
 * @throws ApiError validation_error if it has another format, or is given twice with different values
 */
export function idempotencyKeyOf(request: KeyedRequest): string | null {
  const [header, ...others] = headersOf(request);
  const inBody = clientOrderIdOf(request.body);
  if (others.length > 0) {
    throw validationError({ field: 'Idempotency-Key', problem: 'must not be repeated with different values' });
  }
  if (header !== undefined && !acceptableKey.test(header)) {
    throw validationError({
      field: 'Idempotency-Key',
      problem: 'must be 1 to 128 printable ASCII characters, not . or ..',
    });
  }
  if (inBody !== undefined && (typeof inBody !== 'string' || !acceptableKey.test(inBody))) {
    throw validationError({
      field: 'client_order_id',
      problem: 'must be a string of 1 to 128 printable ASCII characters, not all spaces, not . or ..',
    });
  }
  if (header !== undefined && inBody !== undefined && header !== inBody) {
    throw validationError({ field: 'client_order_id', problem: 'must equal the Idempotency-Key header' });
  }
  return header ?? inBody ?? null;
}

/**
 * Validates a key from a path.
 * @throws ApiError validation_error if no request can have it
 */
export function requireKey(key: string): string {
  if (acceptableKey.test(key)) return key;
  throw validationError({
    field: 'key',
    problem: 'must be 1 to 128 printable ASCII characters, not all spaces, not . or ..',
  });
}

/** The distinct values of the header. */
function headersOf({ raw: { rawHeaders } }: KeyedRequest): string[] {
  const values = rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === headerName);
  return [...new Set(values)];
}

function clientOrderIdOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('client_order_id' in body)) return undefined;
  return body.client_order_id ?? undefined;
}
