import type { Bar, Stream } from '@libs/strategy';

/**
 * Bars, one after the other. Of each: its open in UTC milliseconds, the same on the broker's clock, market time of its event, open,
 * high, low and close, and its tick volume.
 */
export type BarNumbers = Float64Array;

export const barNumbers = 8;

/** A bar of its numbers, as a strategy receives it. @param first index of its first number */
export function barOf(numbers: BarNumbers, first: number, { alias, symbol, timeframe }: Stream): Bar {
  return {
    stream: alias,
    symbol,
    timeframe,
    timeMs: numbers[first] ?? 0,
    open: numbers[first + 3] ?? 0,
    high: numbers[first + 4] ?? 0,
    low: numbers[first + 5] ?? 0,
    close: numbers[first + 6] ?? 0,
    tickVolume: numbers[first + 7] ?? 0,
    lateMs: 0,
  };
}
