import { closeSync, existsSync, fdatasyncSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Book } from '../trading/book';
import { completeLines } from './complete-lines';
import { type AccountIdentity, applyLine, type Saved, snapshotLines, changeLine, StateFileError } from './state-lines';

/**
 * Keeps the books over restarts: a file of JSON lines, the first the account as it was at the start, each further one a
 * change, written and flushed to disk before it is reported. A last line torn by a crash was never answered for,
 * so it is dropped. At every start the file is written anew, beside the old one, and renamed over it.
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
    let saved: Saved | null = null;
    let index = 0;
    for (const line of completeLines(this.path)) {
      saved = applyLine(line, index++, book, identity);
      book.takeChange();
    }
    if (saved === null) {
      throw new StateFileError(
        `the state file ${this.path} holds no complete line: restore it, or move it away for a new account`,
      );
    }
    // No session has seen the books before.
    book.takeTouched();
    return saved;
  }

  /** Starts the file anew with the books as they are. */
  begin(book: Book, marketMs: number, identity: AccountIdentity): void {
    const fresh = `${this.path}.new`;
    const file = openSync(fresh, 'w', 0o600);
    for (const line of snapshotLines(book, marketMs, identity)) writeAll(file, line);
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
