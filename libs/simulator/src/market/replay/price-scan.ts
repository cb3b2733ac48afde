import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Shape } from './recording-rows';
import { filePieces, readRecordingPieces, shapes, unknownShape, type Recording } from './recordings';

/** What can be wrong with a row of a price file. */
export type RowFault = 'inverted' | 'duplicate' | 'mistimed' | 'malformed';

/** A row that cannot be replayed. */
export interface FaultyRow {
  /** Number of its line, from 1. */
  readonly line: number;
  readonly fault: RowFault;
  readonly text: string;
}

/** The rows of a price file, sound and faulty ones apart. */
export interface PriceScan {
  readonly kind: 'bars' | 'ticks';
  /** Rows in all. */
  readonly rows: number;
  readonly faulty: readonly FaultyRow[];
  /** The rows that are sound; null if none is. */
  readonly recording: Recording | null;
}

const minuteMs = 60_000;
/** Characters of sound rows that are read at a time. */
const pieceLength = 1_048_576;

/**
 * Reads every row of a price file, whatever is wrong with others. Of rows that contradict each other the first counts.
 * @throws RecordingError for an unknown shape, and what the file system throws
 */
export function scanPrices(path: string): PriceScan {
  const [name, file] = [basename(path), openSync(path, 'r')];
  try {
    const lines = linesOf(filePieces(file));
    const first = lines.next();
    const firstLine = first.done === true ? '' : first.value.trim();
    const shape =
      shapes.find(({ header }) => header === firstLine) ??
      shapes.find(({ header, timeOf }) => header === null && !Number.isNaN(timeOf(firstLine.split(',')[0] ?? '')));
    if (!shape) throw unknownShape(name, firstLine);
    const found: ScanCounts = { rows: 0, faulty: [] };
    const pieces = soundPieces(shape, firstLine, lines, found);
    const piece = pieces.next();
    const kind = shape.columns === 4 ? 'bars' : 'ticks';
    if (piece.done === true) return { kind, ...found, recording: null };
    const recording = readRecordingPieces(name, fstatSync(file).size, withFirst(piece.value, pieces));
    return { kind, ...found, recording };
  } finally {
    closeSync(file);
  }
}

interface ScanCounts {
  rows: number;
  readonly faulty: FaultyRow[];
}

function* withFirst<T>(first: T, rest: Iterable<T>): Generator<T> {
  yield first;
  yield* rest;
}

/** The sound rows in pieces; none at all if no row is sound. */
function* soundPieces(shape: Shape, firstLine: string, lines: Iterable<string>, found: ScanCounts): Generator<Buffer> {
  let [text, hasRows] = [shape.header === null ? '' : `${shape.header}\n`, false];
  let [previousMs, line] = [Number.NEGATIVE_INFINITY, shape.header === null ? 0 : 1];
  let blanks = 0;
  for (const next of shape.header === null ? withFirst(firstLine, lines) : lines) {
    line += 1;
    const row = next.trim();
    // Blank lines at the end are no rows.
    blanks = row === '' ? blanks + 1 : 0;
    const [time = '', ...fields] = row.split(',');
    const timeMs = shape.timeOf(time.trim());
    const fault = faultOf(timeMs, fields.slice(0, shape.columns).map(Number), shape.columns, previousMs);
    found.rows += 1;
    if (fault !== null) {
      found.faulty.push({ line, fault, text: row });
      continue;
    }
    previousMs = timeMs;
    [text, hasRows] = [`${text}${row}\n`, true];
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  found.faulty.splice(found.faulty.length - blanks, blanks);
  found.rows -= blanks;
  if (hasRows && text !== '') yield Buffer.from(text);
}

function* linesOf(pieces: Iterable<Buffer>): Generator<string, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
  return undefined;
}

function faultOf(timeMs: number, prices: readonly number[], columns: 2 | 4, previousMs: number): RowFault | null {
  const isWhole = prices.length === columns && prices.every((price) => price > 0 && Number.isFinite(price));
  if (Number.isNaN(timeMs) || !isWhole) return 'malformed';
  if (timeMs < previousMs) return 'mistimed';
  if (columns === 2) return null;
  if (timeMs % minuteMs !== 0) return 'mistimed';
  if (timeMs === previousMs) return 'duplicate';
  const [open = 0, high = 0, low = 0, close = 0] = prices;
  return high < low || Math.max(open, close) > high || Math.min(open, close) < low ? 'inverted' : null;
}
