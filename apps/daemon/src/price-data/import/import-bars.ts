import { Decimal } from 'decimal.js';
import { ImportClock } from './import-clock';
import type { BarColumns } from './import-columns';
import { finerProblem, parsedRows, priceProblem, refused, timeOf, zoneOf, type ImportSource } from './import-source';

export interface ImportTerms {
  /** IANA zone of times without an offset; null if every time has one, or if the form of the file determines it. */
  readonly zone: string | null;
  /** Decimal places of the symbol's prices: the last is one point. */
  readonly digits: number;
}

/** A one-minute bar of one side of the market. */
export interface ImportedBar {
  /** Open of the bar, in UTC milliseconds. */
  readonly timeMs: number;
  /** Open, high, low and close. */
  readonly prices: readonly string[];
  /** Points between bid and ask; null where the file does not state them. */
  readonly spread: string | null;
}

/** The bars of a file. @throws ImportError */
export function importedBars(source: ImportSource, terms: ImportTerms): readonly ImportedBar[] {
  const { columns } = source;
  if (columns.kind !== 'bars') throw refused(source.name, ['it has ticks, and others have bars']);
  const clock = new ImportClock(zoneOf(source, terms.zone));
  return parsedRows<ImportedBar>(source, (cells, before) => {
    const bar = barOf(cells, columns, clock, terms.digits);
    return typeof bar === 'string' ? bar : (orderProblem(before, bar) ?? bar);
  });
}

/** The prices of the other side, so many points above. */
export function asksOf({ prices }: ImportedBar, points: string | number, digits: number): readonly string[] {
  const distance = new Decimal(10).pow(-digits).times(points);
  return prices.map((price) => distance.plus(price).toFixed());
}

/** A bar; or what is wrong with its row. @throws ImportTimeError */
function barOf(
  cells: readonly string[],
  columns: BarColumns,
  clock: ImportClock,
  digits: number,
): ImportedBar | string {
  const prices = columns.prices.map((column) => cells[column] ?? '');
  const problem = prices.map((price) => gridProblem(price, digits)).find((found) => found !== null);
  if (problem !== undefined) return problem;
  const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number);
  const isInside = Math.max(open, close) <= high && Math.min(open, close) >= low;
  if (!isInside) return 'its open or close lies outside of its high and low';
  const spread = columns.spread === -1 ? null : (cells[columns.spread] ?? '');
  if (spread !== null && !/^\d+(\.\d+)?$/.test(spread)) return `its spread is "${spread}", not a number of points`;
  return { timeMs: clock.minuteMs(timeOf(columns, cells)), prices, spread };
}

function gridProblem(price: string, digits: number): string | null {
  const isFiner = (price.split('.')[1]?.replace(/0+$/, '').length ?? 0) > digits;
  return priceProblem(price) ?? (isFiner ? finerProblem(price, digits) : null);
}

function orderProblem(before: ImportedBar | undefined, { timeMs }: ImportedBar): string | null {
  if (before === undefined || timeMs > before.timeMs) return null;
  return timeMs === before.timeMs ? 'it has the minute of the bar before' : 'its time is before that of the bar before';
}
