import { buildMessage, ValidateBy } from 'class-validator';

const isoShape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}:?\d{2})?)?$/i;
/** From 1973 on: a number of eight digits may as well be a date, such as 20260105. */
const earliestSeconds = 100_000_000;
/** The year 3000. */
const latestSeconds = 32_503_680_000;
const latestMilliseconds = latestSeconds * 1_000;

/** The forms of an instant in a query or body, for descriptions and texts. */
export const instantForms =
  'an ISO-8601 time such as 2026-01-05T10:00:00Z or 2026-01-05T12:00:00+02:00 (UTC without a zone), ' +
  'a date such as 2026-01-05, or epoch seconds';

/** The clock that the times of a query are of: UTC, or the broker server's own. */
export const clockWords = ['utc', 'server'] as const;
export type ClockWord = (typeof clockWords)[number];

/** Parses a time in any of {@link instantForms} to milliseconds UTC; null for any other value. */
export function parseInstant(value: unknown): number | null {
  if (typeof value === 'number') return fromSeconds(value);
  if (typeof value !== 'string') return null;
  if (/^\d+$/.test(value)) return fromSeconds(Number(value));
  const parts = isoShape.exec(value);
  if (!parts) return null;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  const ms = Date.parse(`${date}T${time}${offsetOf(zone)}`);
  return Number.isNaN(ms) || !isRealDate(date) ? null : ms;
}

/** What is expected instead of a value that is not an instant, with the form that it was probably meant to have. */
export function instantProblem(value: unknown): string {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const [, date = ''] = typeof number === 'string' ? (isoShape.exec(number) ?? []) : [];
  if (date !== '')
    return `must be ${instantForms}; ${isRealDate(date) ? 'no day has this time' : `${date} is not a day`}`;
  if (typeof number !== 'number') return `must be ${instantForms}`;
  const isMilliseconds = number > latestSeconds && number <= latestMilliseconds;
  const advice = isMilliseconds
    ? `; this looks like epoch milliseconds: ${Math.floor(number / 1_000)} is in seconds`
    : '';
  return `must be ${instantForms}${advice}`;
}

/** Validates a field that holds an instant. */
export function IsInstant(): PropertyDecorator {
  return ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value: unknown) => parseInstant(value) !== null,
      defaultMessage: buildMessage((prefix, details) => `${prefix}$property ${instantProblem(details?.value)}`),
    },
  });
}

function fromSeconds(seconds: number): number | null {
  const isInstant = Number.isInteger(seconds) && seconds >= earliestSeconds && seconds <= latestSeconds;
  return isInstant ? seconds * 1_000 : null;
}

/** A plus sign that was not percent-encoded arrives as a space. */
function offsetOf(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z';
  return `${zone.startsWith('-') ? '-' : '+'}${zone.slice(1, 3)}:${zone.slice(-2)}`;
}

/** JavaScript parses 30 February as 2 March. */
function isRealDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === date;
}
