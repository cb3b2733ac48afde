import { fromFixedPoint, toFixedPoint } from '@libs/terminal-client';
import { Decimal } from 'decimal.js';

/** Decimal arithmetic of the broker's books: enough digits for any chain of conversions, ties away from zero. */
export const Money = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });
export type Money = Decimal;

export const zero = new Money(0);

/** A double as the decimal number it prints as: 0.1 is one tenth. */
export function exact(value: number): Money {
  return new Money(value);
}

/** Rounds as the terminal does, to decimals, ties away from zero; never to a zero with a sign. */
export function rounded(value: Money, digits: number): Money {
  const result = value.toDecimalPlaces(digits);
  return result.isZero() ? zero : result;
}

/** The sum of two amounts as a double; null where a double cannot hold all its digits for certain. */
export function exactSum(a: number, b: number): number | null {
  const total = fromFixedPoint(toFixedPoint(a) + toFixedPoint(b));
  return Number.isNaN(toFixedPoint(total)) ? null : total;
}

/** Adds two volumes or prices of one grid without the dust of binary fractions. */
export function sum(a: number, b: number): number {
  const scaled = toFixedPoint(a) + toFixedPoint(b);
  return Number.isNaN(scaled) ? Money.add(a, b).toNumber() : fromFixedPoint(scaled);
}

/** Subtracts `b` from `a` without the dust of binary fractions. */
export function difference(a: number, b: number): number {
  const scaled = toFixedPoint(a) - toFixedPoint(b);
  return Number.isNaN(scaled) ? Money.sub(a, b).toNumber() : fromFixedPoint(scaled);
}

/** The sum of two amounts, rounded as {@link rounded} does. */
export function sumRounded(a: number, b: number, digits: number): number {
  const scaled = toFixedPoint(a) + toFixedPoint(b);
  // Amounts of an account have its digits already.
  if (scaled % 10 ** (8 - digits) === 0) return fromFixedPoint(scaled);
  return rounded(exact(a).add(b), digits).toNumber();
}

/** True when a value lies on the grid of a step that starts at zero. */
export function isOnGrid(value: number, step: number): boolean {
  if (step <= 0) return true;
  const rest = toFixedPoint(value) % toFixedPoint(step);
  return Number.isNaN(rest) ? new Money(value).mod(step).isZero() : rest === 0;
}

/** So near to the middle between two amounts, in units of the last digit, that doubles do not decide it. */
const UNDECIDED = 1e-4;

/** Amounts above this, in units of the last digit, are computed in decimals: doubles are not that fine. */
const MOST_IN_DOUBLES = 1e10;

const powers = Array.from({ length: 16 }, (_, digits) => 10 ** digits);

/** 10 to a power. */
export function powerOf10(digits: number): number {
  return powers[digits] ?? 10 ** digits;
}

/**
 * Rounds an amount to whole units, of which `scale` are one of it, as {@link rounded} does.
 * @param value off by less than 1e-14 of itself
 * @returns NaN where only decimals are sure
 */
export function roundedSurely(value: number, scale: number): number {
  const magnitude = Math.abs(value) * scale;
  if (magnitude > MOST_IN_DOUBLES || Math.abs(magnitude - Math.floor(magnitude) - 0.5) < UNDECIDED) return Number.NaN;
  // Not near the middle, so there is no dust to forgive: with it, large amounts would round otherwise.
  const whole = Math.round(magnitude);
  return whole === 0 ? 0 : (Math.sign(value) * whole) / scale;
}
