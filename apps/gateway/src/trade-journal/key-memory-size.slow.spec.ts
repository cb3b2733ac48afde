import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStores } from '@libs/store';
import { JournalStore } from './journal.store';
import type { RememberedKey } from '../trade-core/known-key';

/** `npm run bench -- keys` measures five million; the cost of a key does not depend on their number. */
const keys = 50_000;
const atOnce = 50;
const entry: RememberedKey = {
  ...{ status: 'completed', route: 'POST /order', responseStatus: 200, ticket: null, fingerprint: '0123456789abcdef' },
  login: 100_001,
  ...{ createdAtMs: 1_000_000, endedAtRunningMs: 60_000 },
};

describe('the table of used keys', () => {
  it('needs at most 100 bytes of the file per key, and returns every key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'));
    const store = new JournalStore(lmdbStores, folder, () => 'journal-id');
    const size = (): number => statSync(join(folder, 'data.mdb')).size;
    const emptySize = size();
    for (let first = 1; first <= keys; first += atOnce) {
      await store.write((tables) => {
        for (let n = first; n < first + atOnce; n++) tables.keys.remember(`my-bot-${n}`, { ...entry, ticket: n });
      });
    }
    expect((size() - emptySize) / keys).toBeLessThanOrEqual(100);
    for (let n = 1; n <= keys; n += 997) expect(store.keys.memory(`my-bot-${n}`)).toEqual({ ...entry, ticket: n });
    expect(store.keys.memory('my-bot-0')).toBeUndefined();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
