import type { Writable } from 'node:stream';

/**
 * Ignores a reader that closed its end of the pipe, as `head` does: the command completes and keeps its exit code.
 * Any other error of the stream is thrown.
 */
export function tolerateClosedPipe(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
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
