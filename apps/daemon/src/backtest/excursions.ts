import { barRowsOf, barWidth, type Bars } from './bar-rows';
import type { RoundTrip } from './round-trip';

/** How far the price went against and for a trade while it was open. */
interface Excursion {
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

/** Where the values are: in rows of numbers, one after the other in an array. */
interface ValueRows {
  readonly rows: Float64Array;
  /** Numbers in a row. */
  readonly width: number;
  /** Place of the lowest value in a row. */
  readonly low: number;
  /** Place of the highest value in a row. */
  readonly high: number;
}

/** Rows of a block: a tree over single rows would take more memory than the rows of years. */
const blockRows = 64;

type Take = (low: number, high: number) => void;

/** The lowest and highest of any range of rows, each found without a scan of the range. */
export class RangeExtremes {
  /** Whole blocks. */
  private readonly blocks: number;
  /** A tree over the blocks, which are its second half. */
  private readonly low: Float64Array;
  private readonly high: Float64Array;

  constructor(private readonly of: ValueRows) {
    const blocks = Math.floor(of.rows.length / of.width / blockRows);
    this.blocks = blocks;
    this.low = new Float64Array(2 * blocks).fill(Infinity);
    this.high = new Float64Array(2 * blocks).fill(-Infinity);
    for (let block = 0; block < blocks; block++) {
      this.scan(block * blockRows, (block + 1) * blockRows, (low, high) => this.widen(blocks + block, low, high));
    }
    for (let node = 2 * blocks - 1; node > 1; node--) {
      this.widen(node >>> 1, this.low[node] ?? Infinity, this.high[node] ?? -Infinity);
    }
  }

  /** Of the rows from `first` to before `end`; infinite where there are none. */
  between(first: number, end: number): readonly [low: number, high: number] {
    let [low, high] = [Infinity, -Infinity];
    const take: Take = (otherLow, otherHigh) => {
      low = Math.min(low, otherLow);
      high = Math.max(high, otherHigh);
    };
    const firstBlock = Math.ceil(first / blockRows);
    const endBlock = Math.min(Math.floor(end / blockRows), this.blocks);
    if (firstBlock >= endBlock) this.scan(first, end, take);
    else {
      this.scan(first, firstBlock * blockRows, take);
      this.takeBlocks(firstBlock, endBlock, take);
      this.scan(endBlock * blockRows, end, take);
    }
    return [low, high];
  }

  private takeBlocks(first: number, end: number, take: Take): void {
    const takeNode = (node: number): void => take(this.low[node] ?? Infinity, this.high[node] ?? -Infinity);
    let [left, right] = [first + this.blocks, end + this.blocks];
    while (left < right) {
      if (left % 2 === 1) takeNode(left++);
      if (right % 2 === 1) takeNode(--right);
      left >>>= 1;
      right >>>= 1;
    }
  }

  private scan(first: number, end: number, take: Take): void {
    const { rows, width, low, high } = this.of;
    for (let at = first * width; at < end * width; at += width) {
      take(rows[at + low] ?? Infinity, rows[at + high] ?? -Infinity);
    }
  }

  private widen(node: number, low: number, high: number): void {
    this.low[node] = Math.min(this.low[node] ?? Infinity, low);
    this.high[node] = Math.max(this.high[node] ?? -Infinity, high);
  }
}
