import type { ApiError } from './api-error';
import type { ErrorType } from './error-types';

/** A collection: the items, and how many there are. */
export interface CollectionBody<Item> {
  readonly ok: true;
  readonly data: readonly Item[];
  readonly total: number;
}

/** Every answer that is not a success. */
export interface ErrorBody {
  readonly ok: false;
  readonly error: string;
  readonly error_type: ErrorType;
  readonly details?: unknown;
  readonly request_id: string;
  readonly terminal_error?: unknown;
}

/** A single resource; its fields are at the top level beside `ok`. */
export function single<Fields extends object>(fields: Fields): { ok: true } & Fields {
  return { ok: true, ...fields };
}

export function collection<Item>(items: readonly Item[]): CollectionBody<Item> {
  return { ok: true, data: items, total: items.length };
}

/** A mutation that took effect: a text for people, the broker's result, and the safety fields of the operation. */
export function mutation<Result, Safety extends object>(
  message: string,
  result: Result,
  safety: Safety,
): { ok: true; message: string; result: Result } & Safety {
  return { ok: true, message, result, ...safety };
}

export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    ok: false,
    error: error.message,
    error_type: error.errorType,
    ...(error.details === undefined ? {} : { details: error.details }),
    ...error.fields,
    request_id: requestId,
    ...(error.terminalError === undefined ? {} : { terminal_error: error.terminalError }),
  };
}
