import { buildMessage, ValidateBy } from 'class-validator';
import { parseInstant } from '../market-data/utc-span';

const latestSeconds = 32_503_680_000;

/** Parses ISO-8601 text or epoch seconds, both UTC, to milliseconds; null for anything else. */
export function expirationMs(value: unknown): number | null {
  if (typeof value === 'string') return parseInstant(value);
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0 || value > latestSeconds) return null;
  return value * 1_000;
}

/** Validates a field that holds such an instant. */
export function IsExpiration(): PropertyDecorator {
  return ValidateBy({
    name: 'isExpiration',
    validator: {
      validate: (value: unknown) => expirationMs(value) !== null,
      defaultMessage: buildMessage(
        (prefix) => `${prefix}$property must be an ISO-8601 time (UTC without a zone) or positive epoch seconds`,
      ),
    },
  });
}
