import { fromFixedPoint, toFixedPoint } from '@libs/terminal-client/fixed-point';
import { Decimal } from 'decimal.js';

/** An exact sum, as the broker's cents add up. */
export function sum(amounts: readonly number[]): number {
  const total = new ExactTotal();
  for (const amount of amounts) total.add(amount);
  return total.value;
}

/** An amount of any currency without the noise of binary fractions: none has so many decimals. */
export function withoutNoise(amount: number): number {
  return Number(amount.toFixed(8));
}

/** The usual 20 digits would round a sum on its way: the digits of a large amount and of a small one are further apart. */
const Wide = Decimal.clone({ precision: 60 });

/** A sum as {@link sum}, of amounts as they come. */
export class ExactTotal {
  private scaled = 0;
  /** The amounts that only decimals hold. */
  private wide: Decimal | null = null;

  add(amount: number): void {
    const scaled = this.scaled + toFixedPoint(amount);
    if (Number.isSafeInteger(scaled)) this.scaled = scaled;
    else this.wide = (this.wide ?? new Wide(0)).plus(amount);
  }

  get value(): number {
    if (this.wide === null) return fromFixedPoint(this.scaled);
    return new Wide(this.scaled).div(toFixedPoint(1)).plus(this.wide).toNumber();
  }
}
