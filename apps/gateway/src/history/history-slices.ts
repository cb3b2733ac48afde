import { ApiError } from '@libs/envelope';
import { LastErrorCode } from '@libs/terminal-client';
import type { TerminalWindow } from './history-window';

const daySeconds = 86_400;
const firstSliceSeconds = 31 * daySeconds;
const longestSliceSeconds = 92 * daySeconds;
const shortestSliceSeconds = 60;
/** Target for the rows of one read: about a megabyte, of the 32 that a line of the link may have. */
const rowsASlice = 2_000;

/**
 * Reads a window of history slice by slice, in ascending order, so that a long window neither blocks the terminal nor
 * exceeds the size of one answer. Adjacent slices share a second, because terminals differ in whether a window includes
 * its end; rows of that second can occur twice.
 */
export async function* readBySlices<Row>(
  window: TerminalWindow,
  read: (slice: TerminalWindow) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let length = firstSliceSeconds;
  let from = window.from;
  for (;;) {
    const slice = { from, to: Math.min(window.to, from + length) };
    let rows: readonly Row[];
    try {
      rows = await read(slice);
    } catch (error) {
      if (!isTooLarge(error) || length <= shortestSliceSeconds) throw error;
      length = Math.max(shortestSliceSeconds, Math.floor(length / 10));
      continue;
    }
    yield rows;
    if (slice.to >= window.to) return;
    from = slice.to;
    const factor = Math.min(2, Math.max(0.1, rowsASlice / Math.max(rows.length, 1)));
    length = Math.min(longestSliceSeconds, Math.max(shortestSliceSeconds, Math.floor(length * factor)));
  }
}

/** Both ends of the link reject an answer that exceeds the maximum line length. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { terminalError } = error;
  return (
    typeof terminalError === 'object' &&
    terminalError !== null &&
    'code' in terminalError &&
    terminalError.code === LastErrorCode.NO_MEMORY
  );
}
