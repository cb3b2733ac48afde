import { barRowsOf, barWidth, type Bars } from './bar-rows';
import { columnsOfRows } from './curve';
import { RangeExtremes } from './range-extremes';
import type { RoundTrip } from './round-trip';

/** How far the price went against and for a trade while it was open. */
export interface Excursion {
  /** Maximum adverse excursion: furthest from the entry against the trade, in price. */
  readonly mae: number;
  /** Maximum favourable excursion: furthest from the entry for the trade, in price. */
  readonly mfe: number;
}

/** A closed trade of a report. */
export type ReportTrade = RoundTrip & {
  /** Null where the report has no bars of the trade's symbol. */
  readonly excursion: Excursion | null;
};

/**
 * Trades with their excursions: of the bid bars that lie within a trade, and of its entry and exit.
 * @param prices bars of one symbol, ascending
 * @param barMs length of a bar
 */
export function withExcursions(
  trips: readonly RoundTrip[],
  prices: Bars,
  symbol: string,
  barMs: number,
): readonly ReportTrade[] {
  const rows = barRowsOf(prices);
  const [highs, lows] = [columnsOfRows(rows, barWidth, 2).values, columnsOfRows(rows, barWidth, 3)];
  const extremes = new RangeExtremes(lows.values, highs);
  return trips.map((trip) => {
    if (trip.symbol !== symbol) return { ...trip, excursion: null };
    const first = firstFrom(lows.times, trip.openedMs);
    const end = firstFrom(lows.times, trip.closedMs - barMs + 1);
    const [low, high] = extremes.between(first, Math.max(first, end));
    const up = Math.max(high, trip.entryPrice, trip.exitPrice) - trip.entryPrice;
    const down = trip.entryPrice - Math.min(low, trip.entryPrice, trip.exitPrice);
    const [mae, mfe] = trip.side === 'buy' ? [down, up] : [up, down];
    return { ...trip, excursion: { mae: Number(mae.toFixed(8)), mfe: Number(mfe.toFixed(8)) } };
  });
}

/** Index of the first bar that opens at a time or later. */
function firstFrom(times: Float64Array, timeMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
