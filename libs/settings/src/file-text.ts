import { closeSync, openSync, readSync } from 'node:fs';

const mebibyte = 1_048_576;

/** A file that is larger than what it is read for, or one without an end. */
class LargeFileError extends Error {
  constructor(mostBytes: number) {
    super(`the file is larger than ${mostBytes / 1_024} KiB`);
  }
}

/**
 * The text of a file that a person wrote.
 * @param mostBytes no more than this is read
 * @throws LargeFileError; Error of the file system
 */
export function fileText(path: string, mostBytes = mebibyte): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(mostBytes + 1);
    let length = 0;
    for (;;) {
      const bytes = readSync(file, buffer, length, buffer.length - length, null);
      length += bytes;
      if (length > mostBytes) throw new LargeFileError(mostBytes);
      if (bytes === 0) return buffer.toString('utf8', 0, length);
    }
  } finally {
    closeSync(file);
  }
}
