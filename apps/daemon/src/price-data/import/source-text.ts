import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';

/** A file that cannot be imported, in words for people. */
export class ImportError extends Error {}

/**
 * The text of a file, of a `.gz` file, or of the only file in a `.zip` file; of several, the only `.csv` file.
 * @throws ImportError
 */
export function sourceText(path: string): string {
  const name = basename(path);
  try {
    return decoded(unpacked(name, readFileSync(path)));
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${name}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Text in UTF-8, or in UTF-16 as MetaTrader and PowerShell write it: by its mark, or by the zeros of its first letters. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  if (isBig && bytes.length % 2 === 0) return decoded(Buffer.from(bytes).swap16());
  // A byte order mark is part of the text for `toString`.
  return bytes.toString(isLittle ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}

function unpacked(name: string, bytes: Buffer): Buffer {
  if (/\.gz$/i.test(name)) return gunzipSync(bytes);
  if (!/\.zip$/i.test(name)) return bytes;
  const files = Object.entries(unzipSync(bytes)).filter(([path]) => !path.endsWith('/'));
  // HistData packs a report on its gaps beside the prices.
  const tables = files.length === 1 ? files : files.filter(([path]) => /\.csv$/i.test(path));
  const [only] = tables;
  if (tables.length === 1 && only) return Buffer.from(only[1]);
  throw new ImportError(`${name}: holds ${files.length} files; unpack it and name the file of prices`);
}
