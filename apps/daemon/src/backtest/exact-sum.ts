import { fromFixedPoint, toFixedPoint } from '@libs/terminal-client/fixed-point';
import { Decimal } from 'decimal.js';

/** An exact sum, as the broker's cents add up. */
export function sum(amounts: readonly number[]): number {
  let scaled = 0;
  for (const amount of amounts) {
    scaled += toFixedPoint(amount);
    if (!Number.isSafeInteger(scaled)) return sumOfDecimals(amounts);
  }
  return fromFixedPoint(scaled);
}

function sumOfDecimals(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Decimal(0)).toNumber();
}
