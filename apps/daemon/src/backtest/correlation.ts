import { fewestDays } from './daily-changes';

/**
 * Pearson's correlation of two series of daily changes, -1 to 1.
 * @returns null below five days, for series of different lengths, and where one of them does not change
 */
export function correlationOf(first: readonly number[], second: readonly number[]): number | null {
  if (first.length < fewestDays || first.length !== second.length) return null;
  const [a, b] = [deviations(first), deviations(second)];
  const spread = Math.sqrt(productOf(a, a) * productOf(b, b));
  return spread > 0 ? Number((productOf(a, b) / spread).toFixed(4)) : null;
}

function deviations(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function productOf(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0);
}
