import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFoldersSync } from '@libs/files';
import { barLength, RecordingError, replayFile, timeframeName, type Recording } from '@libs/simulator';
import { readWithColumns } from '../backtest/column-store';
import { readable } from '../backtest/recorded-prices';

/** A Parquet file of a price file. */
export interface ExportedFile {
  readonly file: string;
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  /** Length of the bars; null for ticks, and for a single bar. */
  readonly timeframe: string | null;
  readonly rows: number;
}

/**
 * Writes price files, as backtests read them, as Parquet files of the same names: instants in UTC, and prices as doubles. Either
 * all are written, or none is.
 * @param folder of the new files
 * @throws RecordingError for a file that a backtest would refuse, and for one that exists
 */
export async function exportPrices(paths: readonly string[], folder: string): Promise<readonly ExportedFile[]> {
  // Loaded here, so that no other command has it.
  const { parquetWriteFile } = await import('hyparquet-writer');
  const found = paths.map((text) => {
    const { symbol, path } = replayFile(text);
    const recording = readable(path, () => readWithColumns(path));
    return { symbol, path, recording, file: join(folder, `${basename(path).replace(/\.[^.]*$/, '')}.parquet`) };
  });
  const taken = found.find(
    ({ file }, at) => existsSync(file) || found.findIndex((other) => other.file === file) !== at,
  );
  if (taken) throw new RecordingError(`${taken.file} exists: delete it, or use another --store`);
  makeFoldersSync(folder);
  try {
    const exported = found.map(({ symbol, path, recording, file }): ExportedFile => {
      const length = recording.kind === 'bars' ? barLength(basename(path), recording.times) : null;
      const timeframe = length && timeframeName(length);
      const kvMetadata = Object.entries({ symbol, ...(timeframe && { timeframe }) }).map(([key, value]) => ({
        key,
        value,
      }));
      parquetWriteFile({ filename: `${file}.new`, ...tableOf(recording), kvMetadata });
      return { file, symbol, kind: recording.kind, timeframe, rows: recording.times.length };
    });
    for (const { file } of found) renameSync(`${file}.new`, file);
    return exported;
  } finally {
    for (const { file } of found) rmSync(`${file}.new`, { force: true });
  }
}

function tableOf(recording: Recording) {
  const { times } = recording;
  const prices = Object.entries(
    recording.kind === 'bars' ? barPrices(recording) : { bid: recording.bids, ask: recording.asks },
  );
  const columnData = [{ name: 'timestamp', data: times }, ...prices.map(([name, data]) => ({ name, data }))];
  const schema = [
    { name: 'root', num_children: columnData.length },
    { name: 'timestamp', type: 'INT64', repetition_type: 'REQUIRED', logical_type: instants },
    ...prices.map(([name]) => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }) as const),
  ] as const;
  return { columnData, schema: [...schema] };
}

/** Not the older type for instants, which polars and DuckDB show without their zone. */
const instants = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const;

function barPrices({ open, high, low, close }: Extract<Recording, { readonly kind: 'bars' }>) {
  return { open, high, low, close };
}
