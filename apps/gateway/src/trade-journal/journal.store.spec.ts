import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { lmdbStores, StoreOpenError } from '@libs/store';
import { applyChange } from './journal-tables';
import { JournalStore } from './journal.store';

describe('the trade journal’s disk', () => {
  let folder: string;
  let store: JournalStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    store = new JournalStore(lmdbStores, folder, () => 'an-id');
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('keeps its id, and its commit numbers never decrease', async () => {
    await store.judge('proven', null);
    const [first] = [store.mark];
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'a' }));
    expect([first?.id, store.mark?.id]).toEqual(['an-id', 'an-id']);
    const before = store.mark?.sequence ?? 0;
    expect(before).toBeGreaterThan(first?.sequence ?? 0);
    await store.close();
    store = new JournalStore(lmdbStores, folder, () => 'another-id');
    expect(store.mark).toEqual({ id: 'an-id', sequence: before });
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'b' }));
    expect(store.mark?.sequence).toBeGreaterThan(before);
  });

  it('gives an id to a journal of version 0.1.0, which had none, and trusts it because it has records', async () => {
    await store.write((tables) =>
      applyChange(tables, { put: 'claim', ticket: 7, claim: { intentId: 'a/0', clientOrderId: 'a' } }),
    );
    await store.close();
    const root = open({ path: folder, noSubdir: false, encoding: 'json' });
    root.openDB({ name: 'meta', encoding: 'json' }).dropSync();
    await root.close();
    store = new JournalStore(lmdbStores, folder, () => 'given-id');
    expect([store.id, store.trust, store.mark]).toEqual(['given-id', 'proven', null]);
    await store.judge(store.trust, null);
    expect(store.mark).toMatchObject({ id: 'given-id' });
  });

  it('does not open a journal of a newer version, and changes nothing in it', async () => {
    await store.judge('proven', null);
    await store.close();
    const root = open({ path: folder, noSubdir: false, encoding: 'json' });
    const meta = root.openDB<number, string>({ name: 'meta', encoding: 'json' });
    await meta.put('format', 2);
    await root.close();
    const file = join(folder, 'data.mdb');
    const before = readFileSync(file);
    const openAgain = (): JournalStore => new JournalStore(lmdbStores, folder, () => 'another-id');
    expect(openAgain).toThrow(StoreOpenError);
    expect(openAgain).toThrow(
      `the trade journal in ${file} is that of a newer version of the gateway (format 2; this one reads format 1): start that version`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('applies a change completely or not at all, regardless of other changes at the same moment', async () => {
    const change = store.write((tables) => {
      applyChange(tables, { put: 'open', key: 'half' });
      applyChange(tables, { put: 'open', key: 'k'.repeat(10_000) });
    });
    const others = ['before', 'after'].map((key) => store.write((tables) => applyChange(tables, { put: 'open', key })));
    await expect(change).rejects.toThrow(/key/i);
    await Promise.all(others);
    expect(store.keysLeftOpen()).toEqual(['after', 'before']);
    await store.close();
    store = new JournalStore(lmdbStores, folder, () => 'an-id');
    expect(store.keysLeftOpen()).toEqual(['after', 'before']);
  });
});
