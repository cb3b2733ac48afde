import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWaits } from './waits';

/** What a suite has started or made; all of it is undone, the last first, whatever became of the tests. */
export class Scratch {
  private readonly undoings: (() => unknown)[] = [];

  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'e2e-'));
    this.undo(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  undo(undoing: () => unknown): void {
    this.undoings.push(undoing);
  }

  async clear(): Promise<void> {
    endWaits();
    for (const undoing of this.undoings.splice(0).reverse()) await undoing();
  }
}
