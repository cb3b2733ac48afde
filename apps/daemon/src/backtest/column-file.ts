import { crc32 } from 'node:zlib';
import { readerVersion, type Recording } from '@libs/simulator';

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
export function recordingOfColumns(bytes: Buffer, source: Buffer): Recording | null {
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
