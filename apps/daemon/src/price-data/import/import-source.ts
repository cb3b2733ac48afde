import { basename } from 'node:path';
import { ImportTimeError } from './import-clock';
import { cellsOf, columnsOf, type ImportColumns, type StatedForm } from './import-columns';
import { ImportError, sourceText } from './source-text';

/** The rows of a file of prices. */
export interface ImportSource {
  readonly name: string;
  readonly columns: ImportColumns;
  readonly rows: readonly string[];
  readonly hasDecimalComma: boolean;
}

const mostProblems = 5;

/**
 * Reads a file.
 * @throws ImportError for an unknown form, or one without rows
 */
export function importSource(path: string, form: StatedForm): ImportSource {
  const name = basename(path);
  const lines = sourceText(path).split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  const columns = columnsOf(lines[0] ?? '', form);
  if ('problems' in columns) throw refused(name, columns.problems);
  const rows = columns.hasHeader ? lines.slice(1) : lines;
  if (rows.length === 0) throw refused(name, ['it has no prices']);
  return { name, columns, rows, hasDecimalComma: form.hasDecimalComma ?? false };
}

/** The zone of the times of a file, as its form or the caller states. @throws ImportError if they contradict each other */
export function zoneOf({ name, columns }: ImportSource, stated: string | null): string | null {
  if (columns.zone === null || stated === null || stated === columns.zone) return columns.zone ?? stated;
  throw refused(name, [`its times are in ${columns.zone}: omit --zone`]);
}

/**
 * What the rows of a file are.
 * @param rowOf a row by its cells and by the row before it, or what is wrong with it; may throw ImportTimeError
 * @throws ImportError listing the first problems with their lines
 */
export function parsedRows<Row extends object>(
  { name, columns, rows, hasDecimalComma }: ImportSource,
  rowOf: (cells: readonly string[], before: Row | undefined) => Row | string,
): readonly Row[] {
  const parsed: Row[] = [];
  const problems: string[] = [];
  rows.forEach((line, index) => {
    const found = cellsOf(line, columns.delimiter);
    const cells = hasDecimalComma ? found.map(withPoint) : found;
    const isWhole = cells.length === columns.width;
    const row = isWhole
      ? timed(() => rowOf(cells, parsed.at(-1)))
      : `it has ${cells.length} cells, not ${columns.width}`;
    if (typeof row === 'string') problems.push(`line ${index + (columns.hasHeader ? 2 : 1)}: ${row}`);
    else parsed.push(row);
  });
  if (problems.length > 0) throw refused(name, problems);
  return parsed;
}

function timed<Row>(rowOf: () => Row | string): Row | string {
  try {
    return rowOf();
  } catch (error) {
    if (error instanceof ImportTimeError) return error.message;
    throw error;
  }
}

/** A number with a decimal comma, with a point instead. */
function withPoint(cell: string): string {
  return /^\d+,\d+$/.test(cell) ? cell.replace(',', '.') : cell;
}

/** The time of a row, which may have two cells. */
export function timeOf({ time }: ImportColumns, cells: readonly string[]): string {
  return time.map((column) => cells[column]).join(' ');
}

/** What is wrong with the text of a price; null if nothing is. */
export function priceProblem(price: string): string | null {
  return /^\d+(\.\d+)?$/.test(price) && Number(price) > 0 ? null : notAPrice(price);
}

function notAPrice(price: string): string {
  const advice = /^\d+,\d+$/.test(price) ? ': if its comma is a decimal one, use --decimal-comma' : '';
  return `"${price}" is not a price${advice}`;
}

/** What is wrong with a price that is not on the grid of the symbol. */
export function finerProblem(price: string, digits: number): string {
  return `${price} has more than ${digits} decimal places: see --digits`;
}

/** An error that names the file and its first problems. */
export function refused(name: string, problems: readonly string[]): ImportError {
  const shown = problems.slice(0, mostProblems).map((problem) => `${name}: ${problem}`);
  const more = problems.length - shown.length;
  return new ImportError([...shown, ...(more > 0 ? [`${name}: and ${more} more`] : [])].join('\n'));
}
