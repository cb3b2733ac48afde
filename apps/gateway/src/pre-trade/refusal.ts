import { ApiError } from '@libs/envelope';

/** 400 for one field that breaks a rule of the market: the rule's limit and the value beside the words. */
export function fieldRefused(field: string, problem: string, limit: unknown, value: unknown): ApiError {
  return new ApiError('validation_error', `${field}: ${problem}`, { details: [{ field, problem, limit, value }] });
}

/** 422 for a limit that the operator set. */
export function limitExceeded(
  errorType: 'symbol_not_allowed' | 'volume_limit_exceeded' | 'price_deviation_exceeded' | 'order_deviation_exceeded',
  message: string,
  details: { readonly limit: unknown; readonly value: unknown; readonly setting: string; readonly field: string },
): ApiError {
  return new ApiError(errorType, message, { details });
}

/** 422 for a limit on entries as a whole: the limit and its current value. */
export function entryRefused(
  errorType: 'order_rate_exceeded' | 'open_volume_exceeded' | 'daily_loss_exceeded',
  message: string,
  details: {
    readonly limit: number;
    readonly value: number | null;
    readonly setting: string;
    /** Lots that the order would add. */
    readonly requested?: number;
    readonly symbol?: string;
  },
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(errorType, message, { details, headers });
}
