import type { Files, OpenFile } from '@libs/files';
import { continuationMark, escaped } from './log-line';

const chunkBytes = 64 * 1024;

/**
 * The last lines of a file that pass `wanted`, ascending, at most `count`; reads from the end and no further back than
 * needed. `enough` ends the search early. A file that does not exist has no lines.
 */
export async function lastLines(
  files: Files,
  file: string,
  count: number,
  wanted: (line: string) => boolean,
  enough: (line: string) => boolean,
): Promise<string[]> {
  let handle: OpenFile;
  try {
    handle = await files.open(file, 'r');
  } catch {
    return [];
  }
  try {
    return await collect(handle, count, wanted, enough);
  } finally {
    await handle.close();
  }
}

/** Whether a file's first line says that it continues a former file. */
export async function isContinued(files: Files, file: string): Promise<boolean> {
  const start = Buffer.alloc(continuationMark.length);
  const handle = await files.open(file, 'r').catch(() => null);
  try {
    await handle?.read(start, 0, start.length, 0);
  } finally {
    await handle?.close();
  }
  return start.toString('utf8') === continuationMark;
}

async function collect(
  handle: OpenFile,
  count: number,
  wanted: (line: string) => boolean,
  enough: (line: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  let end = Number((await handle.stat({ bigint: true })).size);
  let rest = Buffer.alloc(0);
  while (end > 0 && found.length < count) {
    const size = Math.min(chunkBytes, end);
    const chunk = Buffer.alloc(size);
    await handle.read(chunk, 0, size, end - size);
    end -= size;
    const bytes = Buffer.concat([chunk, rest]);
    // The first line of the chunk may begin in the one before; bytes, because a character may be cut in two.
    const cut = end === 0 ? -1 : bytes.indexOf(10);
    rest = cut === -1 && end > 0 ? bytes : bytes.subarray(0, Math.max(0, cut));
    const lines =
      cut === -1 && end > 0
        ? []
        : bytes
            .subarray(cut + 1)
            .toString('utf8')
            .split('\n');
    for (const line of lines.reverse()) {
      if (line === '') continue;
      if (enough(line)) return found.reverse();
      // An earlier version wrote control characters as they are.
      if (wanted(line)) found.push(escaped(line));
      if (found.length === count) break;
    }
  }
  return found.reverse();
}
