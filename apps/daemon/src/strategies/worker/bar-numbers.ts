import type { Bar, Stream } from '@libs/strategy';

/**
 * A bar: its open in UTC milliseconds, the same on the broker's clock, market time of its event, open, high, low and close, and its
 * tick volume. The array is filled anew for each bar.
 */
export type BarNumbers = Float64Array;

export const barNumbers = 8;

/** The bar of its numbers, as a strategy receives it. */
export function barOf(numbers: BarNumbers, { alias, symbol, timeframe }: Stream): Bar {
  return {
    stream: alias,
    symbol,
    timeframe,
    timeMs: numbers[0] ?? 0,
    open: numbers[3] ?? 0,
    high: numbers[4] ?? 0,
    low: numbers[5] ?? 0,
    close: numbers[6] ?? 0,
    tickVolume: numbers[7] ?? 0,
    lateMs: 0,
  };
}
