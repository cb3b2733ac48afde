import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalStore } from './journal.store';

describe('the trade journal’s disk', () => {
  let folder: string;
  let store: JournalStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    store = new JournalStore(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('takes a change as a whole or not at all, and those of the same moment whatever becomes of it', async () => {
    const change = store.write((tables) => {
      tables.markOpen('half');
      tables.markOpen('k'.repeat(10_000));
    });
    const others = ['before', 'after'].map((key) => store.write((tables) => tables.markOpen(key)));
    await expect(change).rejects.toThrow(/key/i);
    await Promise.all(others);
    expect(store.keysLeftOpen()).toEqual(['after', 'before']);
    await store.close();
    store = new JournalStore(folder);
    expect(store.keysLeftOpen()).toEqual(['after', 'before']);
  });
});
