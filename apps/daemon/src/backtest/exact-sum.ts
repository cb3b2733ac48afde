import { Decimal } from 'decimal.js';

/** An exact sum, as the broker's cents add up. */
export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Decimal(0)).toNumber();
}
