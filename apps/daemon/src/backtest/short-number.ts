/** Two decimals; – for null and for what is not a finite number. */
export function shortNumber(value: number | null): string {
  return value === null || !Number.isFinite(value) ? '–' : value.toFixed(2).replace(/^-0\.00$/, '0.00');
}
