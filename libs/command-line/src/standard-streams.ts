import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Ignores a reader that closed its end of the pipe, as `head` does: the command completes and keeps its exit code. After any other
 * error, such as of a full disk, the output is not complete.
 * @param fail ends the process, with the reason on standard error
 */
export function tolerateClosedPipe(stream: Writable, fail: (problem: string) => void = endWith): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(`the output cannot be written: ${error.message}`);
  });
}

function endWith(problem: string): void {
  // Not by the stream, which may be the one that failed.
  try {
    writeSync(2, `${problem}\n`);
  } catch {
    // The exit code says it.
  }
  process.exit(1);
}

/**
 * Resolves when the operating system has accepted everything written so far, or when the reader has closed the pipe.
 */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    // Write callbacks run in order: the one of an empty text follows those of all text before it.
    stream.write('', () => resolve());
  });
}
