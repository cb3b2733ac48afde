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

/** Adds two volumes or prices of one grid without the dust of binary fractions. */
export function sum(a: number, b: number): number {
  return Money.add(a, b).toNumber();
}

/** Subtracts `b` from `a` without the dust of binary fractions. */
export function difference(a: number, b: number): number {
  return Money.sub(a, b).toNumber();
}

/** True when a value lies on the grid of a step that starts at zero. */
export function isOnGrid(value: number, step: number): boolean {
  return step <= 0 || new Money(value).mod(step).isZero();
}
