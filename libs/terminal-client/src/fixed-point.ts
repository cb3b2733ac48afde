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

/** Nearer to half a tick than this, a quotient of doubles may be on the wrong side of it: it is off by less, up to {@link mostTicks}. */
const ticksError = 1e-6;
const mostTicks = 1e9;

/**
 * A price rounded half up to whole ticks, as decimals round it, at the speed of doubles.
 * @returns NaN where only decimals are sure: near half a tick, and for a tick that does not end at one of the digits
 */
export function toWholeTicks(price: number, tickSize: number, digits: number): number {
  const tick = toFixedPoint(tickSize);
  const ticks = price / tickSize;
  const isSure = ticks > 0 && ticks < mostTicks && tick % toFixedPoint(1 / 10 ** digits) === 0;
  const below = Math.floor(ticks);
  const rest = ticks - below;
  if (!isSure || Math.abs(rest - 0.5) < ticksError) return Number.NaN;
  const rounded = (rest < 0.5 ? below : below + 1) * tick;
  return rounded < tooLarge ? fromFixedPoint(rounded) : Number.NaN;
}
