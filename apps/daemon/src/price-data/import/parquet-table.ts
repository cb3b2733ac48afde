import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { ImportError } from './source-text';

/** A table that is read as the lines of a text file would be. */
export interface SourceTable {
  /** Its header, then its rows, with tabs between their cells. */
  lines(): Generator<string>;
}

/** What the cells of a column are, beside numbers and texts. */
type CellKind = 'instant' | 'local' | 'date' | 'other';

interface Column {
  readonly name: string;
  readonly kind: CellKind;
  readonly cells: unknown[];
}

const magic = 'PAR1';
/** The index of a data frame, where it has no name. */
const index = /^__index_level_\d+__$/;

/** Reads the Parquet files among some files into memory, by their paths. @throws ImportError */
export async function parquetTables(paths: readonly string[]): Promise<ReadonlyMap<string, SourceTable>> {
  const tables = new Map<string, SourceTable>();
  for (const path of paths) if (isParquet(path)) tables.set(path, await parquetTable(path));
  return tables;
}

/** By its first bytes; a file that cannot be read is none, and fails where its text is read. */
function isParquet(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    const first = Buffer.alloc(magic.length);
    const length = readSync(file, first, 0, magic.length, 0);
    closeSync(file);
    return first.toString('latin1', 0, length) === magic;
  } catch {
    return false;
  }
}

async function parquetTable(path: string): Promise<SourceTable> {
  try {
    const columns = await columnsOf(path);
    return { lines: () => linesOf(columns) };
  } catch (error) {
    throw new ImportError(
      `${basename(path)}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function columnsOf(path: string): Promise<readonly Column[]> {
  // Loaded here, so that no other command and no program that trades has them.
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element }): Column => {
    const kind = kindOf(element.converted_type, element.logical_type);
    const name = index.test(element.name) ? (kind === 'other' ? '' : 'timestamp') : element.name;
    return { name, kind, cells: Array.from({ length: Number(metadata.num_rows) }) };
  });
  const named = new Map(parquetSchema(metadata).children.map(({ element }, at) => [element.name, columns[at]]));
  await parquetRead({
    file,
    metadata,
    compressors,
    // Milliseconds, in place of an object for each row.
    parsers: {
      timestampFromMilliseconds: (ms: bigint) => Number(ms),
      timestampFromMicroseconds: (us: bigint) => Number(us / 1_000n),
      timestampFromNanoseconds: (ns: bigint) => Number(ns / 1_000_000n),
      dateFromDays: (days: number) => days * 86_400_000,
    },
    onChunk: ({ columnName, columnData, rowStart }) => {
      const cells = named.get(columnName)?.cells;
      if (cells) for (let at = 0; at < columnData.length; at++) cells[rowStart + at] = columnData[at];
    },
  });
  return columns;
}

interface LogicalType {
  readonly type: string;
  readonly isAdjustedToUTC?: boolean;
}

function kindOf(converted: string | undefined, logical: LogicalType | undefined): CellKind {
  if (logical?.type === 'DATE' || converted === 'DATE') return 'date';
  if (logical?.type === 'TIMESTAMP') return logical.isAdjustedToUTC === true ? 'instant' : 'local';
  return converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS' ? 'instant' : 'other';
}

function* linesOf(columns: readonly Column[]): Generator<string> {
  yield columns.map(({ name }) => plain(name)).join('\t');
  const rows = columns[0]?.cells.length ?? 0;
  for (let row = 0; row < rows; row++) yield columns.map(({ cells, kind }) => textOf(cells[row], kind)).join('\t');
}

function textOf(cell: unknown, kind: CellKind): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number' && kind !== 'other') {
    const iso = new Date(cell).toISOString();
    return kind === 'instant' ? iso : iso.slice(0, kind === 'date' ? 10 : -1);
  }
  if (typeof cell === 'string') return plain(cell);
  // INT96, an old form of times, has no word on their zone.
  if (cell instanceof Date) return cell.toISOString().slice(0, -1);
  const isPlain = typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean';
  return isPlain ? String(cell) : '(no number or text)';
}

function plain(text: string): string {
  return text.replaceAll(/\s/g, ' ');
}
