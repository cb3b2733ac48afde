import { closeSync, openSync, readSync } from 'node:fs';

const pieceLength = 1_048_576;
const lineFeed = 0x0a;

/**
 * The lines of a file that end with a line feed, one at a time: the file can be longer than the longest text. Text after
 * the last line feed is a line that was not written completely, and is left out.
 */
export function* completeLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    let begun: Buffer[] = [];
    for (let piece = nextPiece(file); piece.length > 0; piece = nextPiece(file)) {
      let start = 0;
      for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
        yield Buffer.concat([...begun, piece.subarray(start, end)]).toString('utf8');
        begun = [];
        start = end + 1;
      }
      begun.push(piece.subarray(start));
    }
  } finally {
    closeSync(file);
  }
}

/** The bytes that follow; empty at the end of the file. */
function nextPiece(file: number): Buffer {
  const piece = Buffer.allocUnsafe(pieceLength);
  return piece.subarray(0, readSync(file, piece));
}
