import { snapPrice } from '@libs/terminal-client';
import type { SignalFacts } from './signal-facts';
import type { Level, Signal } from './signal';

/** Where an entry is expected to be filled. */
export function entryPrice(
  signal: Pick<Signal, 'limit' | 'stop'>,
  isBuy: boolean,
  { quote }: Pick<SignalFacts, 'quote'>,
): number {
  return signal.limit ?? signal.stop ?? (isBuy ? quote.ask : quote.bid);
}

/**
 * The price of a level on the symbol's grid.
 * @param from the price that a distance is measured from
 * @param isBelow whether the level is below it: the stop-loss of a long, the take-profit of a short
 * @returns null without a level, or if its distance is not known
 */
export function levelPrice(
  level: Level | null,
  from: number,
  isBelow: boolean,
  { info, atr }: Pick<SignalFacts, 'info' | 'atr'>,
): number | null {
  if (level === null) return null;
  const distance = distanceOf(level, from, info.point, atr);
  if (distance === null) return null;
  return snapPrice(level.unit === 'price' ? level.amount : from + (isBelow ? -distance : distance), info);
}

function distanceOf({ unit, amount }: Level, from: number, point: number, atr: number | null): number | null {
  switch (unit) {
    case 'price':
      return 0;
    case 'points':
      return amount * point;
    case 'percent':
      return (from * amount) / 100;
    case 'atr':
      return atr === null ? null : atr * amount;
  }
}

/** The average true range of bars; null without any. The first bar only gives the close before. */
export function averageTrueRange(bars: {
  readonly high: ArrayLike<number>;
  readonly low: ArrayLike<number>;
  readonly close: ArrayLike<number>;
}): number | null {
  const count = bars.close.length - 1;
  let sum = 0;
  for (let at = 1; at <= count; at++) {
    const [high, low, before] = [bars.high[at] ?? 0, bars.low[at] ?? 0, bars.close[at - 1] ?? 0];
    sum += Math.max(high, before) - Math.min(low, before);
  }
  return count > 0 && sum > 0 ? sum / count : null;
}
