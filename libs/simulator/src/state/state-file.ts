import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Book } from '../trading/book';
import { type AccountIdentity, applyLine, type Saved, snapshotLine, changeLine, StateFileError } from './state-lines';

/**
 * Keeps the books over restarts: a file of JSON lines, the first the account as it was at the start, each further one a
 * change, written and flushed to disk before it is reported. A last line torn by a crash was never answered for,
 * so it is dropped. At every start the file is written anew as one line, beside the old one, and renamed over it.
 */
export class StateFile {
  private file: number | null = null;
  private broken = false;

  constructor(private readonly path: string) {}

  /**
   * Reads what was kept into empty books.
   * @returns null when there is no file yet
   * @throws StateFileError for a file that cannot be read or belongs to another account
   */
  load(book: Book, identity: AccountIdentity): Saved | null {
    if (!existsSync(this.path)) return null;
    const lines = readFileSync(this.path, 'utf8').split('\n');
    // Text after the last line feed is a line that was not written completely.
    lines.pop();
    if (lines.length === 0) throw new StateFileError('the state file holds no complete line');
    let saved: Saved | null = null;
    for (const [index, line] of lines.entries()) saved = applyLine(line, index, book, identity);
    book.takeChange();
    return saved;
  }

  /** Starts the file anew with the books as they are. */
  begin(book: Book, marketMs: number, identity: AccountIdentity): void {
    const fresh = `${this.path}.new`;
    const file = openSync(fresh, 'w', 0o600);
    writeAll(file, snapshotLine(book, marketMs, identity));
    book.takeChange();
    fsyncSync(file);
    renameSync(fresh, this.path);
    flushFolder(dirname(this.path));
    this.file = file;
  }

  /** True once a write has failed: nothing more can be promised to last, so nothing more may be done. */
  get isBroken(): boolean {
    return this.broken;
  }

  /**
   * Adds what changed since the last call, and waits until the disk has it.
   * @throws StateFileError when it cannot be written, then and ever after
   */
  append(book: Book, marketMs: number): void {
    if (this.file === null) return;
    if (this.broken) throw new StateFileError('the state file could not be written');
    const change = book.takeChange();
    if (!change) return;
    try {
      writeAll(this.file, changeLine(change, book, marketMs));
      fdatasyncSync(this.file);
    } catch (error) {
      this.broken = true;
      throw new StateFileError(
        `the state file cannot be written: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    }
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}

/** A rename lasts only when its folder is on disk too. */
function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
