import { ImportClock, ImportTimeError } from './import-clock';
import type { StatedForm } from './import-columns';
import { SourceProblems, sourceRows, timeOf, zoneOf, type ImportSource, type SourceRow } from './import-source';

export interface ImportTerms extends StatedForm {
  readonly symbol: string;
  /** IANA zone of times without an offset; null if every time has one, or if the form of the file determines it. */
  readonly zone: string | null;
  /** Decimal places of the symbol's prices: the last is one point. */
  readonly digits: number;
  /** Whether prices with more decimal places are rounded, however far they are from the grid. */
  readonly isRounding?: boolean;
}

/** What a caller should know of the rows of a file that was taken. */
export interface RowCounts {
  taken: number;
  /** With prices that were rounded. */
  rounded: number;
  /** In an hour that the clock repeats or leaves out, and not taken. */
  skipped: number;
  /** With a spread of 0. */
  withoutSpread: number;
}

interface TimedRow extends SourceRow {
  readonly timeMs: number;
}

/** A row by its cells and its time in UTC milliseconds, or what is wrong with it; `before` is the row before. */
type RowOf<Row> = (cells: readonly string[], timeMs: number, before: Row | undefined) => Row | string;

export function noCounts(): RowCounts {
  return { taken: 0, rounded: 0, skipped: 0, withoutSpread: 0 };
}

/**
 * The rows of a file one by one, in the order of their times.
 * @throws ImportError after the last row, listing the first problems with their lines
 */
export function* parsedRows<Row extends object>(
  source: ImportSource,
  terms: ImportTerms,
  counts: RowCounts,
  rowOf: RowOf<Row>,
): Generator<Row> {
  const problems = new SourceProblems();
  const symbolProblem = symbolCheck(source, terms.symbol);
  const timed = timedRows(source, terms, counts, problems);
  const ordered = terms.isUnsorted ? [...timed].sort((a, b) => a.timeMs - b.timeMs) : timed;
  let before: Row | undefined;
  for (const { line, cells, timeMs } of ordered) {
    const row = symbolProblem(cells) ?? rowOf(cells, timeMs, before);
    if (typeof row === 'string') problems.add(line, row);
    else {
      before = row;
      counts.taken += 1;
      yield row;
    }
  }
  problems.check(source.name);
}

/** In the order of the file, by which a repeated hour may be told. */
function* timedRows(
  source: ImportSource,
  terms: ImportTerms,
  counts: RowCounts,
  problems: SourceProblems,
): Generator<TimedRow> {
  const { columns } = source;
  const clock = new ImportClock(zoneOf(source, terms.zone), terms);
  for (const { line, cells } of sourceRows(source, terms)) {
    if (cells.length !== columns.width) {
      problems.add(line, `it has ${cells.length} cells, not ${columns.width}`);
      continue;
    }
    try {
      const text = timeOf(columns, cells);
      const timeMs = columns.kind === 'bars' ? clock.openMs(text) : clock.utcMs(text);
      if (timeMs === null) counts.skipped += 1;
      else yield { line, cells, timeMs };
    } catch (error) {
      if (!(error instanceof ImportTimeError)) throw error;
      problems.add(line, error.message);
    }
  }
}

/** A column of symbols has to name one that is like the wanted one, in every row. */
function symbolCheck({ columns }: ImportSource, symbol: string): (cells: readonly string[]) => string | null {
  if (columns.symbol === -1) return () => null;
  const wanted = lettersOf(symbol);
  const advice = columns.hasHeader ? ': if that is another name of it, use --ignore symbol' : '';
  let first: string | null = null;
  return (cells) => {
    const named = cells[columns.symbol] ?? '';
    if (named === first) return null;
    if (first !== null) return `it is of ${named}, and rows before are of ${first}`;
    const letters = lettersOf(named);
    if (letters !== '' && (wanted.includes(letters) || letters.includes(wanted))) first = named;
    return first === null ? `it is of ${named}, not of ${symbol}${advice}` : null;
  };
}

function lettersOf(symbol: string): string {
  return symbol.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
}
