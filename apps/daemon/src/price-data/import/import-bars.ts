import { Decimal } from 'decimal.js';
import type { BarColumns } from './source-columns';
import { parsedRows, type ImportTerms, type RowCounts } from './import-rows';
import { refused, type ImportSource } from './import-source';
import { onGrid } from './price-grid';

/** A bar of one side of the market. */
export interface ImportedBar {
  /** Open of the bar, in UTC milliseconds. */
  readonly timeMs: number;
  /** Open, high, low and close. */
  readonly prices: readonly string[];
  /** Points between bid and ask; null where the file does not state them. */
  readonly spread: string | null;
}

/** The bars of a file. @throws ImportError */
export function importedBars(source: ImportSource, terms: ImportTerms, counts: RowCounts): Iterable<ImportedBar> {
  const { columns } = source;
  if (columns.kind !== 'bars') throw refused(source.name, ['it has ticks, and others have bars']);
  return parsedRows<ImportedBar>(source, terms, counts, (cells, timeMs, before) => {
    const bar = barOf(cells, columns, timeMs, terms, counts);
    return typeof bar === 'string' ? bar : (orderProblem(before, bar) ?? bar);
  });
}

/** The prices of the other side, so many points above. */
export function asksOf({ prices }: ImportedBar, points: string | number, digits: number): readonly string[] {
  const distance = new Decimal(10).pow(-digits).times(points);
  return prices.map((price) => distance.plus(price).toFixed());
}

/** A bar; or what is wrong with its row. */
function barOf(
  cells: readonly string[],
  columns: BarColumns,
  timeMs: number,
  terms: ImportTerms,
  counts: RowCounts,
): ImportedBar | string {
  const prices: string[] = [];
  let isRounded = false;
  for (const column of columns.prices) {
    const price = onGrid(cells[column] ?? '', terms);
    if (typeof price === 'string') return price;
    prices.push(price.text);
    isRounded ||= price.isRounded;
  }
  const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number);
  const isInside = Math.max(open, close) <= high && Math.min(open, close) >= low;
  if (!isInside) return 'its open or close lies outside of its high and low';
  const spread = columns.spread === -1 ? null : pointsOf(cells[columns.spread] ?? '', terms);
  if (spread !== null && !/^\d/.test(spread)) return spread;
  if (isRounded) counts.rounded += 1;
  if (spread !== null && Number(spread) === 0) counts.withoutSpread += 1;
  return { timeMs, prices, spread };
}

/** The points of a spread; or what is wrong with it. */
function pointsOf(spread: string, { spreadUnit = 'points', digits }: ImportTerms): string {
  if (!/^\d+(\.\d+)?(e-\d+)?$/i.test(spread)) return `its spread is "${spread}", not a number of points`;
  if (spreadUnit === 'price')
    return new Decimal(spread).times(new Decimal(10).pow(digits)).toDecimalPlaces(1).toFixed();
  const isPrice = Number(spread) > 0 && Number(spread) < 1;
  return isPrice
    ? `a spread of ${spread} points is less than one: if it is a price, use --spread-in price`
    : new Decimal(spread).toFixed();
}

function orderProblem(before: ImportedBar | undefined, { timeMs }: ImportedBar): string | null {
  if (before === undefined || timeMs > before.timeMs) return null;
  return timeMs === before.timeMs
    ? 'it has the time of the bar before'
    : 'its time is before that of the bar before: use --sort if the rows are in another order';
}
