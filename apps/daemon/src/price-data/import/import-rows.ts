import { basename } from 'node:path';
import { Decimal } from 'decimal.js';
import { ImportClock, ImportTimeError } from './import-clock';
import { cellsOf, columnsOfHeader, type ImportColumns } from './import-columns';
import { ImportError, sourceText } from './source-text';

export interface ImportTerms {
  /** IANA zone of times without an offset; null if every time has one. */
  readonly zone: string | null;
  /** Decimal places of the symbol's prices: the last is one point. */
  readonly digits: number;
  /** Points between bid and ask; null where the file has a column of them. */
  readonly spreadPoints: number | null;
}

/** A one-minute bar as the rows of two price files. */
export interface ImportedBar {
  /** Open of the bar, in UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: readonly string[];
  readonly ask: readonly string[];
}

const mostProblems = 5;

/**
 * The bars of a file with a header.
 * @throws ImportError listing the first problems with their lines
 */
export function importedBars(path: string, terms: ImportTerms): readonly ImportedBar[] {
  const name = basename(path);
  const lines = sourceText(path).split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  const [header = '', ...rows] = lines;
  const columns = columnsOfHeader(header);
  const problems = 'problems' in columns ? columns.problems : spreadProblems(columns, terms);
  if ('problems' in columns || problems.length > 0) throw refused(name, problems);
  if (rows.length === 0) throw refused(name, ['it has no bars']);
  return barsOf(name, rows, columns, terms);
}

function spreadProblems({ spread }: ImportColumns, { spreadPoints }: ImportTerms): readonly string[] {
  if (spread === -1 && spreadPoints === null)
    return ['it has one side of the market and no column spread: use --spread'];
  if (spread !== -1 && spreadPoints !== null) return ['it has a column spread: omit --spread'];
  return [];
}

function barsOf(name: string, rows: readonly string[], columns: ImportColumns, terms: ImportTerms): ImportedBar[] {
  const clock = new ImportClock(terms.zone);
  const point = new Decimal(10).pow(-terms.digits);
  const bars: ImportedBar[] = [];
  const problems: string[] = [];
  rows.forEach((row, index) => {
    const bar = barOf(row, columns, terms, clock, point);
    const problem = typeof bar === 'string' ? bar : orderProblem(bars.at(-1), bar);
    if (problem !== null) problems.push(`line ${index + 2}: ${problem}`);
    else if (typeof bar !== 'string') bars.push(bar);
  });
  if (problems.length > 0) throw refused(name, problems);
  return bars;
}

/** A bar; or what is wrong with its row. */
function barOf(
  row: string,
  { delimiter, width, time, prices, spread }: ImportColumns,
  { digits, spreadPoints }: ImportTerms,
  clock: ImportClock,
  point: Decimal,
): ImportedBar | string {
  const cells = cellsOf(row, delimiter);
  if (cells.length !== width) return `it has ${cells.length} cells, the header has ${width}`;
  const bid = prices.map((column) => cells[column] ?? '');
  const problem = priceProblem(bid, digits);
  if (problem !== null) return problem;
  const points = spreadPoints ?? cells[spread] ?? '';
  if (!/^\d+(\.\d+)?$/.test(String(points))) return `its spread is "${points}", not a number of points`;
  const distance = point.times(points);
  try {
    const timeMs = clock.utcMs(time.map((column) => cells[column]).join(' '));
    return { timeMs, bid, ask: bid.map((price) => distance.plus(price).toFixed()) };
  } catch (error) {
    if (error instanceof ImportTimeError) return error.message;
    throw error;
  }
}

function priceProblem(bid: readonly string[], digits: number): string | null {
  const wrong = bid.find((price) => !/^\d+(\.\d+)?$/.test(price) || Number(price) === 0);
  if (wrong !== undefined) return `"${wrong}" is not a price`;
  const fine = bid.find((price) => (price.split('.')[1]?.replace(/0+$/, '').length ?? 0) > digits);
  if (fine !== undefined) return `${fine} has more than ${digits} decimal places: see --digits`;
  const [open = 0, high = 0, low = 0, close = 0] = bid.map(Number);
  const isInside = Math.max(open, close) <= high && Math.min(open, close) >= low;
  return isInside ? null : 'its open or close lies outside of its high and low';
}

function orderProblem(before: ImportedBar | undefined, { timeMs }: ImportedBar): string | null {
  if (before === undefined || timeMs > before.timeMs) return null;
  return timeMs === before.timeMs ? 'it has the minute of the bar before' : 'its time is before that of the bar before';
}

function refused(name: string, problems: readonly string[]): ImportError {
  const shown = problems.slice(0, mostProblems).map((problem) => `${name}: ${problem}`);
  const more = problems.length - shown.length;
  return new ImportError([...shown, ...(more > 0 ? [`${name}: and ${more} more`] : [])].join('\n'));
}
