import { basename } from 'node:path';
import { cellsOf, columnsOf, unwrapped, type StatedForm } from './import-columns';
import type { ImportColumns } from './source-columns';
import { ImportError, sourceLines } from './source-text';

/** A file of prices: its form, and where its rows are. */
export interface ImportSource {
  readonly name: string;
  readonly path: string;
  readonly columns: ImportColumns;
  /** Lines before the first row. */
  readonly skippedLines: number;
  /** Whether each line is in quotes. */
  readonly isWrapped: boolean;
}

/** The cells of a row, and the number of its line. */
export interface SourceRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const mostProblems = 5;
/** Excel states the delimiter so; some vendors put a comment or their address before the header. */
const preface = /^(sep=.?|#.*|https?:\S*|)$/i;

/**
 * Reads the first lines of a file.
 * @throws ImportError for an unknown form, or one without rows
 */
export function importSource(path: string, form: StatedForm): ImportSource {
  const name = basename(path);
  let line = 0;
  let found: Omit<ImportSource, 'skippedLines'> | null = null;
  for (const text of linesOf(path, form)) {
    line += 1;
    if (preface.test(text.trim())) continue;
    if (found !== null) return { ...found, skippedLines: line - 1 };
    const [first, isWrapped] = [unwrapped(text.trim()), unwrapped(text.trim()) !== text.trim()];
    const columns = columnsOf(first, form);
    if ('problems' in columns) throw refused(name, columns.problems);
    found = { name, path, columns, isWrapped };
    if (!columns.hasHeader) return { ...found, skippedLines: line - 1 };
  }
  throw refused(name, ['it has no prices']);
}

function linesOf(path: string, { tables }: StatedForm): Generator<string> {
  return tables?.get(path)?.lines() ?? sourceLines(path);
}

/** The rows of a file, of which empty lines are none. @throws ImportError */
export function* sourceRows(
  { path, columns, skippedLines, isWrapped }: ImportSource,
  form: StatedForm,
): Generator<SourceRow> {
  const { delimiter, width } = columns;
  const { hasDecimalComma = false } = form;
  let line = 0;
  for (const text of linesOf(path, form)) {
    line += 1;
    if (line <= skippedLines || text.trim() === '') continue;
    const cells = cellsOf(isWrapped ? unwrapped(text.trim()) : text, delimiter);
    // Some programs write a delimiter after the last cell, too.
    const isLonger = cells.length === width + 1 && cells[width] === '';
    const found = isLonger ? cells.slice(0, width) : cells;
    yield { line, cells: hasDecimalComma ? found.map(withPoint) : found };
  }
}

/** The zone of the times of a file, as its form or the caller states. @throws ImportError if they contradict each other */
export function zoneOf({ name, columns }: ImportSource, stated: string | null): string | null {
  if (columns.zone === null || stated === null || stated === columns.zone) return columns.zone ?? stated;
  const remedy = 'omit --zone, or name its columns by --columns if another program wrote it';
  throw refused(name, [`its times are in ${columns.zone}: ${remedy}`]);
}

/** A number with a decimal comma, perhaps with points between thousands, with a decimal point instead. */
function withPoint(cell: string): string {
  return /^(\d+|\d{1,3}(\.\d{3})+),\d+$/.test(cell) ? cell.replaceAll('.', '').replace(',', '.') : cell;
}

/** The time of a row, which may have two cells. */
export function timeOf({ time: [first = 0, second] }: ImportColumns, cells: readonly string[]): string {
  return second === undefined ? (cells[first] ?? '') : `${cells[first]} ${cells[second]}`;
}

/** The first problems of a file, and how many there are. */
export class SourceProblems {
  private readonly shown: string[] = [];
  private count = 0;

  add(line: number, problem: string): void {
    this.count += 1;
    if (this.count <= mostProblems) this.shown.push(`line ${line}: ${problem}`);
  }

  /** @throws ImportError if there are any */
  check(name: string): void {
    if (this.count > 0) throw refused(name, this.shown, this.count);
  }
}

/** An error that names the file and its first problems. */
export function refused(name: string, problems: readonly string[], count = problems.length): ImportError {
  const shown = problems.slice(0, mostProblems).map((problem) => `${name}: ${problem}`);
  const more = count - shown.length;
  return new ImportError([...shown, ...(more > 0 ? [`${name}: and ${more} more`] : [])].join('\n'));
}
