import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The terminal's journal: one file per day in the `logs` folder next to the program, UTF-16LE with a byte order mark.
 * Only lines added since {@link mark} are read, so that yesterday's success is not taken for today's.
 */
export class Journal {
  private readonly offsets = new Map<string, number>();

  /** `dataFolders` contain further journals, because a terminal may keep its data in a user's folder instead. */
  constructor(private readonly dataFolders: readonly string[] = []) {}

  /** Lines after this call count as new. */
  async mark(executable: string): Promise<void> {
    this.offsets.clear();
    for (const file of await this.files(executable)) {
      const { size } = await stat(file);
      // An even offset, so that a half-written UTF-16 character does not shift the rest.
      this.offsets.set(file, size - (size % 2));
    }
  }

  /** The lines added since the mark or the last call; a line still being written waits for its end. */
  async newLines(executable: string): Promise<string[]> {
    const lines: string[] = [];
    for (const file of await this.files(executable)) {
      const { text, end } = await readFrom(file, this.offsets.get(file) ?? 0);
      this.offsets.set(file, end);
      lines.push(...text.split(/\r?\n/).filter((line) => line !== ''));
    }
    return lines;
  }

  private async files(executable: string): Promise<string[]> {
    const apart = await Promise.all(
      this.dataFolders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name))),
    );
    return (await Promise.all([dirname(executable), ...apart.flat()].map(journalsIn))).flat();
  }
}

async function journalsIn(home: string): Promise<string[]> {
  const folders = (await readdir(home).catch(() => [])).filter((name) => name.toLowerCase() === 'logs');
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(home, folder)).catch(() => []))
        .filter((name) => name.toLowerCase().endsWith('.log'))
        .map((name) => join(home, folder, name)),
    ),
  );
  return files.flat().sort();
}

async function readFrom(file: string, offset: number): Promise<{ text: string; end: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    // A file that is shorter than before was truncated.
    const start = size < offset ? 0 : offset;
    const head = await readBytes(handle, 0, Math.min(2, size));
    const wide = head.length === 2 && head[0] === 0xff && head[1] === 0xfe;
    const bytes = await readBytes(handle, start, size - start);
    const complete = bytes.subarray(0, endOfLastLine(bytes, wide));
    const text = new TextDecoder(wide ? 'utf-16le' : 'utf-8').decode(complete);
    return { text, end: start + complete.length };
  } finally {
    await handle.close();
  }
}

async function readBytes(handle: Awaited<ReturnType<typeof open>>, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

function endOfLastLine(bytes: Buffer, wide: boolean): number {
  if (!wide) return bytes.lastIndexOf(0x0a) + 1;
  for (let at = bytes.length - (bytes.length % 2) - 2; at >= 0; at -= 2) {
    if (bytes[at] === 0x0a && bytes[at + 1] === 0) return at + 2;
  }
  return 0;
}
