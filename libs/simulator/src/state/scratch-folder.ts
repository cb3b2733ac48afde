import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryDisk, HistoryFile } from '../trading/history-disk';

/** Takes a line of a log. */
interface Log {
  warn(text: string): void;
}

/**
 * A folder of this machine for files without a name: a file is removed from the folder as soon as it is open, so that the
 * system frees it when the process ends, also after a crash. Only this user can open it in between.
 */
export class ScratchFolder implements HistoryDisk {
  private readonly reported = new Set<string>();

  /** @param log takes one line for the first failed write, and one for the first failed read */
  constructor(
    private readonly folder: string,
    private readonly log: Log,
  ) {}

  create(): HistoryFile {
    const own = mkdtempSync(join(this.folder, 'simulator-history-'));
    let file: number | null = null;
    try {
      file = openSync(join(own, 'rows'), 'wx+', 0o600);
      rmSync(own, { recursive: true });
      return new ScratchFile(file);
    } catch (error) {
      if (file !== null) closeSync(file);
      rmSync(own, { recursive: true, force: true });
      throw error;
    }
  }

  reportFailure(attempt: 'read' | 'write', error: unknown): void {
    if (this.reported.has(attempt)) return;
    this.reported.add(attempt);
    const reason = error instanceof Error ? error.message : 'unknown';
    const consequence = attempt === 'write' ? 'it stays in memory' : 'reads of it fail';
    this.log.warn(`cannot ${attempt} the history in ${this.folder}, so ${consequence}: ${reason}`);
  }
}

class ScratchFile implements HistoryFile {
  constructor(private readonly file: number) {}

  write(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.file, bytes, done, bytes.length - done, at + done);
    }
  }

  read(at: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length;) {
      const count = readSync(this.file, bytes, done, length - done, at + done);
      if (count === 0) throw new Error('the file ends too early');
      done += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.file);
  }
}
