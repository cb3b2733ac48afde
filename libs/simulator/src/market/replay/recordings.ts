import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { RecordingError } from './recording-error';
import { RecordingRows, type Shape } from './recording-rows';
import { compactEstMs, isoMs } from './timestamps';

export { RecordingError } from './recording-error';

/** Bars of one side of the market: their opens in UTC milliseconds, and four price columns. */
export interface BarRecording {
  readonly kind: 'bars';
  readonly times: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
}

/** Quotes in the order of their times, in UTC milliseconds. */
export interface TickRecording {
  readonly kind: 'ticks';
  readonly times: Float64Array;
  readonly bids: Float64Array;
  readonly asks: Float64Array;
}

export type Recording = BarRecording | TickRecording;

/** The shapes of price files. */
export const shapes: readonly Shape[] = [
  { header: 'timestamp,open,high,low,close', columns: 4, timeOf: isoMs, isIso: true },
  { header: 'timestamp,bid,ask', columns: 2, timeOf: isoMs, isIso: true },
  { header: null, columns: 2, timeOf: compactEstMs, isIso: false },
];

/** A file of none of the {@link shapes}: its first line, and what it would have to be. */
export function unknownShape(name: string, firstLine: string): RecordingError {
  const headers = shapes.flatMap(({ header }) => header ?? []).join(' or ');
  const found =
    firstLine === ''
      ? 'it is empty'
      : `it begins with "${firstLine.slice(0, mostShown)}", not with ${headers}: convert it with daemon data import`;
  return new RecordingError(`${name}: neither bars nor ticks in a known format: ${found}`);
}

/** Grows when the same bytes are read as other numbers than before, or refused: columns that were kept of them are then read anew. */
export const readerVersion = 2;

/** Bytes of a file that are read at a time. */
const pieceBytes = 4 * 1_024 * 1_024;
const newline = 10;
/** Characters of a foreign line that an error quotes. */
const mostShown = 60;

/**
 * Reads a recording in any of the three known shapes: bars or ticks with a header and ISO-8601 stamps, and
 * ticks without a header on a clock of UTC-5.
 * @throws RecordingError for an unknown shape, a malformed line, times that go back, and bars that cannot be
 */
export function readRecording(name: string, text: string): Recording {
  const bytes = Buffer.from(text);
  return readRecordingPieces(name, bytes.length, [bytes]);
}

/** As {@link readRecording}, of a file. @throws RecordingError, and what the file system throws */
export function readRecordingFile(path: string): Recording {
  const file = openSync(path, 'r');
  try {
    return readRecordingPieces(basename(path), fstatSync(file).size, filePieces(file));
  } finally {
    closeSync(file);
  }
}

/** The bytes of an open file from where it stands. The next piece is read into the same memory. */
export function* filePieces(file: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (;;) {
    const length = readSync(file, piece);
    if (length === 0) return;
    yield piece.subarray(0, length);
  }
}

/**
 * As {@link readRecording}, of bytes that come in pieces, each of which is needed only until the next one.
 * @param size of all pieces, in bytes; a wrong one costs memory or time, and changes no number
 */
export function readRecordingPieces(name: string, size: number, pieces: Iterable<Buffer>): Recording {
  let rows: RecordingRows | null = null;
  let shape: Shape | undefined;
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    let bytes = piece;
    if (rows !== null && rest.length > 0) {
      // Only the line that two pieces share is put together: a copy of the whole piece would take as much memory again.
      const end = piece.indexOf(newline) + 1;
      rest = Buffer.concat([rest, piece.subarray(0, end || piece.length)]);
      if (end === 0) continue;
      rows.take(rest);
      bytes = piece.subarray(end);
    }
    if (rows === null || shape === undefined) {
      const firstLine = lineOf(bytes, 0);
      shape = shapeOf(firstLine.trim());
      if (!shape) throw unknownShape(name, firstLine.trim());
      if (shape.header !== null) bytes = bytes.subarray(Buffer.byteLength(firstLine) + 1);
      const lineBytes = Buffer.byteLength(lineOf(bytes, 0)) + 1;
      rows = new RecordingRows(name, shape, Math.ceil((size / Math.max(20, lineBytes)) * 1.02));
    }
    rest = Buffer.from(bytes.subarray(rows.take(bytes)));
  }
  if (rows === null || !shape) throw unknownShape(name, '');
  rows.takeLast(rest);
  const { times, prices } = rows.columns();
  if (times.length === 0) throw new RecordingError(`${name}: holds no prices`);
  const [first = new Float64Array(0), second = first, third = first, fourth = first] = prices;
  return shape.columns === 4
    ? { kind: 'bars', times, open: first, high: second, low: third, close: fourth }
    : { kind: 'ticks', times, bids: first, asks: second };
}

function lineOf(bytes: Buffer, from: number): string {
  const end = bytes.indexOf(newline, from);
  return bytes.toString('utf8', from, end === -1 ? bytes.length : end);
}

function shapeOf(firstLine: string): Shape | undefined {
  return (
    shapes.find(({ header }) => header === firstLine) ??
    shapes.find(({ header, timeOf }) => header === null && !Number.isNaN(timeOf(firstLine.split(',')[0] ?? '')))
  );
}
