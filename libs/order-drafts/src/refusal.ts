import { volumeText } from '@libs/terminal-client';
import { Decimal } from 'decimal.js';

/** The error types that a refusal can have; the gateway answers with them. */
export type RefusalType =
  | 'validation_error'
  | 'broker_rejected'
  | 'symbol_not_allowed'
  | 'volume_limit_exceeded'
  | 'price_deviation_exceeded'
  | 'order_deviation_exceeded'
  | 'order_rate_exceeded'
  | 'open_volume_exceeded'
  | 'daily_loss_exceeded';

/** Why an order is not sent: it violates a rule of the market or a limit of the operator. */
export class OrderRefusal {
  constructor(
    readonly errorType: RefusalType,
    readonly message: string,
    readonly details: unknown,
    /** Whole seconds after which the same order may be allowed; null if unknown. */
    readonly retryAfterSeconds: number | null = null,
  ) {}
}

/**
 * A field that violates a rule of the market, with the rule's limit and the value.
 * @param shown the value for people
 */
export function fieldRefused(
  field: string,
  problem: string,
  limit: unknown,
  value: string | number,
  shown: string = typeof value === 'number' ? new Decimal(value).toFixed() : value,
): OrderRefusal {
  const message = `${field}: ${problem} (it is ${shown})`;
  return new OrderRefusal('validation_error', message, [{ field, problem, limit, value }]);
}

/** A requested volume: without the noise of binary fractions, but never shown as 0. */
export function askedVolumeText(volume: number): string {
  const text = volumeText(volume);
  return text === '0' ? new Decimal(volume).toFixed() : text;
}

/** How far a price must be from another one; a symbol without a stops level demands no distance. */
export function atLeast(stopsLevel: number): string {
  return stopsLevel > 0 ? ` by at least ${stopsLevel} points` : '';
}

/** Fields that are invalid by themselves or in combination. */
export function fieldsRefused(problems: readonly { readonly field: string; readonly problem: string }[]): OrderRefusal {
  const message = problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
  return new OrderRefusal('validation_error', message, problems);
}

/** A limit that the operator set for each order. */
export function limitExceeded(
  errorType: 'symbol_not_allowed' | 'volume_limit_exceeded' | 'price_deviation_exceeded' | 'order_deviation_exceeded',
  message: string,
  details: { readonly limit: unknown; readonly value: unknown; readonly setting: string; readonly field: string },
): OrderRefusal {
  return new OrderRefusal(errorType, message, details);
}

/** An entry limit, with its current value. */
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
  retryAfterSeconds: number | null = null,
): OrderRefusal {
  return new OrderRefusal(errorType, message, details, retryAfterSeconds);
}
