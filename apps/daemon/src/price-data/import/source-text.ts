import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { TextDecoder } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { filePieces } from '@libs/simulator';
import { unzipSync } from 'fflate';

/** A file that cannot be imported, in words for people. */
export class ImportError extends Error {}

/** Bytes by which the form of a file is recognized. */
const firstBytes = 4;

/**
 * The lines of a file, of a `.gz` file, or of the only file in a `.zip` file; of several, the only `.csv` file. A file that
 * is not packed is read in pieces, whatever its size.
 * @throws ImportError
 */
export function* sourceLines(path: string): Generator<string> {
  const name = basename(path);
  try {
    yield* linesOf(textsOf(name, piecesOf(path, name)));
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${name}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function* piecesOf(path: string, name: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(firstBytes);
    const length = readSync(file, first, 0, firstBytes, 0);
    const packed = packingOf(name, first.subarray(0, length));
    if (packed === null) yield* filePieces(file);
    else yield packed === 'gz' ? gunzipSync(readFileSync(path)) : unzipped(name, readFileSync(path));
  } finally {
    closeSync(file);
  }
}

/** By its name, or by its first bytes if it has another name. */
function packingOf(name: string, first: Buffer): 'gz' | 'zip' | null {
  if (/\.gz$/i.test(name) || (first[0] === 0x1f && first[1] === 0x8b)) return 'gz';
  return /\.zip$/i.test(name) || first.toString('latin1') === 'PK\u0003\u0004' ? 'zip' : null;
}

function unzipped(name: string, bytes: Buffer): Buffer {
  const files = Object.entries(unzipSync(bytes)).filter(([path]) => !path.endsWith('/'));
  if (files.some(([path]) => path === '[Content_Types].xml')) {
    throw new ImportError(`${name}: it is a spreadsheet: save it as CSV`);
  }
  // HistData packs a report on its gaps beside the prices.
  const tables = files.length === 1 ? files : files.filter(([path]) => /\.csv$/i.test(path));
  const [only] = tables;
  if (tables.length === 1 && only) return Buffer.from(only[1]);
  throw new ImportError(`${name}: holds ${files.length} files; unpack it and name the file of prices`);
}

/** Text in UTF-8, or in UTF-16 as MetaTrader and PowerShell write it: by its mark, or by the zeros of its first letters. */
function* textsOf(name: string, pieces: Iterable<Buffer>): Generator<string> {
  let decoder: TextDecoder | null = null;
  for (const piece of pieces) {
    const isFirst = decoder === null;
    decoder ??= new TextDecoder(encodingOf(piece));
    const text = decoder.decode(piece, { stream: true });
    if (isFirst) checkText(name, text);
    yield text;
  }
  if (decoder !== null) yield decoder.decode();
}

function encodingOf([first, second]: Buffer): string {
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return (first === 0xff && second === 0xfe) || (first !== 0 && second === 0) ? 'utf-16le' : 'utf-8';
}

/** @throws ImportError for bytes that are no table of text, so that no column is blamed */
function checkText(name: string, text: string): void {
  const begin = text.slice(0, 1_000).trimStart();
  const isText = [...begin].every((letter) => letter >= ' ' || '\t\r\n'.includes(letter));
  if (!isText) throw new ImportError(`${name}: it is not a text file: export it as CSV`);
  if (/^[[{]/.test(begin)) throw new ImportError(`${name}: it is JSON, not CSV`);
  if (/^<(!doctype|html|\?xml)/i.test(begin)) throw new ImportError(`${name}: it is a web page, not CSV`);
}

function* linesOf(texts: Iterable<string>): Generator<string> {
  let rest = '';
  let end: string | null = null;
  for (const text of texts) {
    end ??= !text.includes('\n') && text.includes('\r') ? '\r' : '\n';
    const lines = (rest + text).split(end);
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
