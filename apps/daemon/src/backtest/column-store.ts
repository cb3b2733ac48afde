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
import { filePieces, readRecordingPieces, type Recording, readerVersion } from '@libs/simulator';
import { crc32 } from 'node:zlib';

/** Folder of the column files, beside the price files. */
const columnFolder = '.columns';

interface ColumnLimits {
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

/** First bytes of a column file. */
const magic = Buffer.from('PRICECOL', 'latin1');
/** Grows with each change of the layout. */
const layoutVersion = 1;
const headerBytes = 64;
/** Places in the header. Numbers are in the order of bytes of the machine: a foreign one is another version. */
const place = { layout: 8, reader: 12, columns: 16, checksum: 20, rows: 24, source: 32 } as const;

/** Bytes of a SHA-256. */
const digestBytes = 32;

/**
 * A recording as the bytes of a column file: a header of 64 bytes, then the columns as doubles, one after the other.
 * @param source SHA-256 of the price file that it was read from
 */
export function columnBytes(recording: Recording, source: Buffer): Buffer {
  const columns = columnsOf(recording);
  const rows = recording.times.length;
  const bytes = Buffer.alloc(headerBytes + columns.length * rows * Float64Array.BYTES_PER_ELEMENT);
  magic.copy(bytes);
  source.copy(bytes, place.source);
  const words = wordsOf(bytes);
  words.set([layoutVersion, readerVersion, columns.length], place.layout / 4);
  new Float64Array(bytes.buffer, bytes.byteOffset + place.rows, 1)[0] = rows;
  const values = valuesOf(bytes);
  columns.forEach((column, index) => values.set(column, index * rows));
  words[place.checksum / 4] = checksumOf(bytes);
  return bytes;
}

/**
 * The recording of a column file.
 * @param bytes the whole file, aligned to 8 bytes
 * @param source SHA-256 of the price file as it is now
 * @returns null for a file that is damaged, of another version or of another price file
 */
function recordingOfColumns(bytes: Buffer, source: Buffer): Recording | null {
  if (bytes.length < headerBytes || !magic.equals(bytes.subarray(0, magic.length))) return null;
  const words = wordsOf(bytes);
  const [layout, reader, width = 0, checksum] = words.subarray(place.layout / 4);
  const rows = new Float64Array(bytes.buffer, bytes.byteOffset + place.rows, 1)[0] ?? 0;
  if (layout !== layoutVersion || reader !== readerVersion) return null;
  if (!sourceOf(bytes).equals(source)) return null;
  if (bytes.length !== headerBytes + width * rows * Float64Array.BYTES_PER_ELEMENT) return null;
  if (checksum !== checksumOf(bytes)) return null;
  return recordingOf(valuesOf(bytes), width, rows);
}

/** SHA-256 of the price file that a column file was made from, read from its first 64 bytes. */
export function sourceOf(bytes: Buffer): Buffer {
  return bytes.subarray(place.source, place.source + digestBytes);
}

function columnsOf(recording: Recording): readonly Float64Array[] {
  if (recording.kind === 'ticks') return [recording.times, recording.bids, recording.asks];
  const { times, open, high, low, close } = recording;
  return [times, open, high, low, close];
}

function recordingOf(values: Float64Array, width: number, rows: number): Recording | null {
  const column = (index: number): Float64Array => values.subarray(index * rows, (index + 1) * rows);
  const times = column(0);
  if (width === 3) return { kind: 'ticks', times, bids: column(1), asks: column(2) };
  if (width !== 5) return null;
  return { kind: 'bars', times, open: column(1), high: column(2), low: column(3), close: column(4) };
}

/** Of everything but itself. */
function checksumOf(bytes: Buffer): number {
  const before = crc32(bytes.subarray(0, place.checksum));
  return crc32(bytes.subarray(place.checksum + 4), before);
}

function wordsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, headerBytes / 4);
}

function valuesOf(bytes: Buffer): Float64Array {
  const count = (bytes.length - headerBytes) / Float64Array.BYTES_PER_ELEMENT;
  return new Float64Array(bytes.buffer, bytes.byteOffset + headerBytes, count);
}
