import { barRowsOf, barWidth, type Bars } from './bar-rows';
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
  const extremes = new RangeExtremes({ rows, width: barWidth, low: 3, high: 2 });
  return trips.map((trip) => {
    if (trip.symbol !== symbol) return { ...trip, excursion: null };
    const first = firstFrom(rows, trip.openedMs);
    const end = firstFrom(rows, trip.closedMs - barMs + 1);
    const [low, high] = extremes.between(first, Math.max(first, end));
    const up = Math.max(high, trip.entryPrice, trip.exitPrice) - trip.entryPrice;
    const down = trip.entryPrice - Math.min(low, trip.entryPrice, trip.exitPrice);
    const [mae, mfe] = trip.side === 'buy' ? [down, up] : [up, down];
    return { ...trip, excursion: { mae: Number(mae.toFixed(8)), mfe: Number(mfe.toFixed(8)) } };
  });
}

/** Index of the first bar that opens at a time or later. */
function firstFrom(rows: Float64Array, timeMs: number): number {
  let [low, high] = [0, rows.length / barWidth];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle * barWidth] ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
