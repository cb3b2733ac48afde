import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { makeFoldersSync } from '@libs/files';
import { filePieces, readRecordingPieces, type Recording } from '@libs/simulator';
import { columnBytes, recordingOfColumns } from './column-file';

/** Folder of the column files, beside the price files. */
const columnFolder = '.columns';

export interface ColumnLimits {
  /** Of smaller price files no columns are kept: they are parsed in a few milliseconds. */
  readonly leastSourceBytes: number;
  /** Most bytes of all column files of a folder; those written longest ago are deleted first. */
  readonly mostBytes: number;
}

const usualLimits: ColumnLimits = { leastSourceBytes: 1024 ** 2, mostBytes: 4 * 1024 ** 3 };

/**
 * Reads a price file, from its columns if they were kept. They are kept with the SHA-256 of the whole price file, which is
 * computed each time: neither a damaged column file nor a changed price file gives other prices than a parse. Where the
 * folder cannot be written, nothing is kept.
 * @throws RecordingError for prices that cannot be used, and what the file system throws for the price file
 */
export function readWithColumns(path: string, limits = usualLimits): Recording {
  return opened(path, (file) => {
    const { size } = fstatSync(file);
    const isSmall = size < limits.leastSourceBytes;
    return isSmall ? readRecordingPieces(basename(path), size, filePieces(file)) : keptOrParsed(path, size, limits);
  });
}

/** Where the columns of a price file are kept. */
export function columnPath(path: string): string {
  return join(dirname(path), columnFolder, `${basename(path)}.columns`);
}

function keptOrParsed(path: string, size: number, limits: ColumnLimits): Recording {
  const bytes = bytesOf(columnPath(path), limits.mostBytes);
  const kept = bytes && recordingOfColumns(bytes, digestOf(path));
  if (kept) return kept;
  // The digest is that of the bytes that are parsed, whatever happens to the file meanwhile.
  const hash = createHash('sha256');
  const recording = opened(path, (file) => {
    return readRecordingPieces(basename(path), size, hashed(filePieces(file), hash));
  });
  keep(columnPath(path), columnBytes(recording, hash.digest()), limits);
  return recording;
}

/** The bytes of a column file in memory of their own; null if it cannot be read or is too large. */
function bytesOf(place: string, mostBytes: number): Buffer | null {
  try {
    return statSync(place).size > mostBytes ? null : readFileSync(place);
  } catch {
    return null;
  }
}

function digestOf(path: string): Buffer {
  const hash = createHash('sha256');
  opened(path, (file) => {
    for (const piece of filePieces(file)) hash.update(piece);
  });
  return hash.digest();
}

function* hashed(pieces: Iterable<Buffer>, hash: Hash): Generator<Buffer> {
  for (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

function opened<Result>(path: string, use: (file: number) => Result): Result {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Several processes may do so at once: each file is whole when it gets its name. */
function keep(place: string, bytes: Buffer, { mostBytes }: ColumnLimits): void {
  if (bytes.length > mostBytes) return;
  const unfinished = `${place}.${process.pid}-${threadId}.new`;
  try {
    makeFoldersSync(dirname(place), 0o700);
    try {
      writeFileSync(unfinished, bytes, { mode: 0o600 });
      renameSync(unfinished, place);
    } finally {
      rmSync(unfinished, { force: true });
    }
    deleteOldest(dirname(place), place, mostBytes);
  } catch {
    // A folder that is read-only, or a full disk: the next run parses the prices again.
  }
}

function deleteOldest(folder: string, newest: string, mostBytes: number): void {
  const others = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== newest)
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .sort((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0));
  let total = statSync(newest).size;
  for (const { path, stat } of others) {
    total += stat?.size ?? 0;
    if (total > mostBytes) rmSync(path, { force: true });
  }
}
