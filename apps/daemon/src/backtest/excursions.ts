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

/** The bars of a symbol, ascending. */
export interface BarSeries {
  readonly symbol: string;
  readonly bars: Bars;
  /** Length of a bar. */
  readonly barMs: number;
}

/** Trades with their excursions: of the bid bars that lie within a trade, and of its entry and exit. */
export function withExcursions(trips: readonly RoundTrip[], series: readonly BarSeries[]): readonly ReportTrade[] {
  const pathOf = new Map(series.map((one) => [one.symbol, new PricePath(one)]));
  return trips.map((trip) => ({ ...trip, excursion: pathOf.get(trip.symbol)?.excursionOf(trip) ?? null }));
}

/** Where the price of a symbol went. */
class PricePath {
  private readonly rows: Float64Array;
  private readonly barMs: number;
  private readonly extremes: RangeExtremes;

  constructor({ bars, barMs }: BarSeries) {
    this.rows = barRowsOf(bars);
    this.barMs = barMs;
    this.extremes = new RangeExtremes({ rows: this.rows, width: barWidth, low: 3, high: 2 });
  }

  excursionOf({ openedMs, closedMs, side, entryPrice, exitPrice }: RoundTrip): Excursion {
    const first = firstFrom(this.rows, openedMs);
    const end = firstFrom(this.rows, closedMs - this.barMs + 1);
    const [low, high] = this.extremes.between(first, Math.max(first, end));
    const up = Math.max(high, entryPrice, exitPrice) - entryPrice;
    const down = entryPrice - Math.min(low, entryPrice, exitPrice);
    const [mae, mfe] = side === 'buy' ? [down, up] : [up, down];
    return { mae: Number(mae.toFixed(8)), mfe: Number(mfe.toFixed(8)) };
  }
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
