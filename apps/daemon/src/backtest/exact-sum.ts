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

/** An amount of any currency without the noise of binary fractions: none has so many decimals. */
export function withoutNoise(amount: number): number {
  return Number(amount.toFixed(8));
}

/** The usual 20 digits would round a sum on its way: the digits of a large amount and of a small one are further apart. */
const Wide = Decimal.clone({ precision: 60 });

function sumOfDecimals(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Wide(0)).toNumber();
}
