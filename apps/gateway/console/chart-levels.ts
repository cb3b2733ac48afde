import type { DealRecord, FullBarRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import { orderTypeText } from './figures';

/** A price at which something is open, protected or waiting. */
export interface ChartLevel {
  readonly price: number;
  readonly text: string;
  /** The name of its colour in the style sheet. */
  readonly colour: string;
}

type Levelled = Pick<PositionRecord & OrderRecord, 'symbol' | 'type' | 'price_open' | 'sl' | 'tp'>;

/** The levels of a symbol. A level of 0 is none. */
export function levelsOf(
  symbol: string,
  positions: readonly Levelled[],
  orders: readonly Levelled[],
): readonly ChartLevel[] {
  const stops = ({ sl, tp }: { readonly sl: number; readonly tp: number }): readonly ChartLevel[] => [
    { price: sl, text: 'SL', colour: '--loss' },
    { price: tp, text: 'TP', colour: '--gain' },
  ];
  return [
    ...positions.flatMap((row) =>
      row.symbol === symbol
        ? [{ price: row.price_open, text: orderTypeText(row.type), colour: '--line' }, ...stops(row)]
        : [],
    ),
    ...orders.flatMap((row) =>
      row.symbol === symbol
        ? [{ price: row.price_open, text: orderTypeText(row.type), colour: '--stale' }, ...stops(row)]
        : [],
    ),
  ].filter(({ price }) => price !== 0);
}

/** The prices of a chart: those of its bars, and the levels that are not further away from them than they are apart. */
export function priceRange(
  bars: readonly Pick<FullBarRecord, 'high' | 'low'>[],
  levels: readonly ChartLevel[],
): readonly [low: number, high: number] {
  const [low, high] = [Math.min(...bars.map((bar) => bar.low)), Math.max(...bars.map((bar) => bar.high))];
  const far = high - low;
  const near = levels.map(({ price }) => price).filter((price) => price >= low - far && price <= high + far);
  const [least, most] = [Math.min(low, ...near), Math.max(high, ...near)];
  const free = (most - least) * 0.06 || Math.abs(most) * 0.001 || 1;
  return [least - free, most + free];
}

/** The bar in which a deal was made: the last one that does not begin after it; -1 before the first. */
export function barOf({ time_msc: at }: Pick<DealRecord, 'time_msc'>, times: readonly number[]): number {
  return times.findLastIndex((time) => time * 1_000 <= at);
}

const steps = [60, 300, 900, 1_800, 3_600, 4 * 3_600, 12 * 3_600, 86_400, 7 * 86_400, 28 * 86_400];

/**
 * Bars with which a round time begins, at most so many, with its text. Bars follow each other without the time between them.
 * @param times seconds by the clock of the broker's server, ascending
 */
export function timeTicks(times: readonly number[], most: number): ReadonlyMap<number, string> {
  for (const step of steps) {
    const places = times.flatMap((time, index) => {
      const before = times[index - 1];
      return before !== undefined && Math.floor(before / step) !== Math.floor(time / step) ? [index] : [];
    });
    if (places.length <= most) return new Map(places.map((index) => [index, tickText(times, index)]));
  }
  return new Map();
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of day; the date where a day begins. */
function tickText(times: readonly number[], index: number): string {
  const text = (at: number): string => new Date((times[at] ?? 0) * 1_000).toISOString();
  const now = text(index);
  if (now.slice(0, 10) === text(index - 1).slice(0, 10)) return now.slice(11, 16);
  return dayText(times[index] ?? 0);
}

/** A day and its month. @param seconds since 1970 */
export function dayText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}
