/** Prices and volumes as whole numbers of this part of a unit. */
const scale = 1e8;
/** Up to 15 digits, each decimal number has a double of its own, so that nothing is lost either way. */
const tooLarge = 1e15;

/**
 * A double as a whole number of 1e-8, for exact sums and remainders at the speed of doubles. The number is the decimal one that
 * the double prints as.
 * @returns NaN for a number with more decimals, and for one of 1e7 or more: those need decimals
 */
export function toFixedPoint(value: number): number {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < tooLarge && scaled / scale === value ? scaled : Number.NaN;
}

/** The double of a whole number of 1e-8 below 2^53: the one nearest to it. */
export function fromFixedPoint(scaled: number): number {
  return scaled / scale;
}
