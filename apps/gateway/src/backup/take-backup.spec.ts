import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { lmdbStores } from '@libs/store';
import { applyChange } from '../trade-journal/journal-tables';
import { JournalStore } from '../trade-journal/journal.store';
import { readBackup } from './manifest';
import { takeBackup } from './take-backup';

describe('the audit log in a backup', () => {
  const home = mkdtempSync(join(tmpdir(), 'take-backup-'));
  const auditFile = join(home, 'audit.jsonl');
  const journal = join(home, 'journal');
  const places = { journal, auditFile, haltFiles: [join(home, 'kill'), join(home, 'engaged')] } as const;
  let store: JournalStore;
  beforeAll(async () => {
    store = new JournalStore(lmdbStores, journal, randomUUID);
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'a' }));
  });
  afterAll(async () => {
    await store.close();
    rmSync(home, { recursive: true });
  });

  it.each([
    ['ends with its last whole line while the gateway writes', true, '{"n":1}\n{"n":2}\n'],
    ['is the same file when the gateway does not run', false, '{"n":1}\n{"n":2}\n{"n":'],
  ])('%s', async (_case, isLive, expected) => {
    writeFileSync(auditFile, '{"n":1}\n{"n":2}\n{"n":');
    const folder = join(home, `backup-${isLive}`);
    const copy = { isLive, to: (to: string) => store.copyTo(to) };
    await takeBackup(places, folder, copy, { clock: new SystemClock(), version: '0.0.0' });
    expect(readFileSync(join(folder, 'order-audit.jsonl'), 'utf8')).toBe(expected);
    expect((await readBackup(folder)).files).toHaveLength(2);
  });
});
