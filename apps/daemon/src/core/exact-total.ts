import { Decimal } from 'decimal.js';

/** Sums as whole numbers of this part of a unit are exact below {@link tooLarge}: so many digits a double has. */
const scale = 1e8;
const tooLarge = 1e15;

/**
 * A sum of decimals, as text. Amounts of up to 8 decimals below ten million are added as whole numbers, others as decimals: the
 * text is the same.
 */
export function exactTotal(from: string, amounts: readonly number[]): string {
  let scaled = scaledOf(Number(from));
  for (const amount of amounts) scaled += scaledOf(amount);
  const total = scaled / scale;
  if (Math.abs(scaled) < tooLarge && String(Number(from)) === from) return String(total);
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(from)).toString();
}

/** NaN for a number of more than 8 decimals, or of ten million and more. */
function scaledOf(value: number): number {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < tooLarge && scaled / scale === value ? scaled : Number.NaN;
}
