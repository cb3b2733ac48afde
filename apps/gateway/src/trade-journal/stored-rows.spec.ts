import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LmdbStore } from '@libs/store';
import { JournalRig, marketOrder } from './testing/journal-rig';

const tables = [
  'requests',
  'intents',
  'claims',
  'open',
  'timeline',
  'keys',
  'counters',
  'lifetimes',
  'changes',
] as const;
const others = ['evidence', 'refused', 'meta'] as const;
const golden = join(__dirname, '../../../../test/fixtures/journal-rows.json');
const lost = { kind: 'unknown', reason: 'no answer', result: null, lastError: null } as const;
const undecidable = { ...lost, undecidable: true } as const;

/** Requests of every kind, one after another. */
async function trade(rig: JournalRig): Promise<void> {
  const { journal } = rig;
  const answer = async (key: string, outcome: Parameters<typeof journal.settle>[2]): Promise<void> => {
    const attempt = rig.begin(key);
    const { intentId } = await journal.record(attempt, marketOrder);
    await journal.settle(attempt, intentId, outcome);
    await journal.complete(attempt, { status: 502, body: '{"ok":false}' });
  };
  await rig.execute('done');
  await rig.reject('rejected');
  await answer('unknown', lost);
  await answer('absent', lost);
  await answer('accepted', undecidable);
  const absent = journal.openRequest('absent');
  const accepted = journal.openRequest('accepted');
  if (!absent || !accepted) throw new Error('a request of unknown outcome is not open');
  await journal.settle(absent, absent.openIntents[0]?.id ?? '', { kind: 'absent' });
  await journal.resolve(absent, 'absent', { status: 422, body: '{"absent":true}' });
  await journal.resolve(accepted, 'accepted', { status: 502, body: '{"undecidable":true}' });
  await journal.makeVoid('void');
  await journal.complete(rig.begin('nothing to do'), { status: 200, body: '{}' });
  await journal.release(rig.begin('refused'));
  await journal.record(rig.begin('interrupted'), { ...marketOrder, purpose: 'modify_levels' });
  await rig.restart();
  rig.disk.full = true;
  const exit = rig.begin('exit');
  const { intentId } = await rig.journal.record(exit, { ...marketOrder, purpose: 'close' });
  await rig.journal.settle(exit, intentId, { kind: 'rejected', result: null, lastError: null });
  await rig.journal.complete(exit, { status: 422, body: '{}' });
  rig.disk.full = false;
  await rig.restart();
}

/** Every row of the file, key and value as they are on disk. */
async function rowsOf(path: string): Promise<Record<string, string[]>> {
  const options = { name: 'journal', path, layout: 'folder', maxTables: 24 } as const;
  const store = LmdbStore.open(options, (source) =>
    [...tables, ...others].map((name) => [name, source.table<Buffer, Buffer>(name, 'binary')] as const),
  );
  const rows = store.read((all) =>
    all.map(([name, table]) => [
      name,
      [...table.getRange({})].map(({ key, value }) => `${shown(key)} ${shown(value)}`),
    ]),
  );
  await store.close();
  return Object.fromEntries(rows) as Record<string, string[]>;
}

/** As text where it is text; without the guidance of an error, whose wording may change, and members that were added since. */
function shown(bytes: unknown): string {
  if (!Buffer.isBuffer(bytes)) return JSON.stringify(bytes);
  const text = bytes
    .toString('utf8')
    .replace(/\\"guidance\\":\\".*?\\",/g, '')
    .replace(/,\\"retry_with\\":\\"\w+\\"/g, '')
    .replace(/,"magic":\d+}$/, '}');
  return /^[\x20-\x7e§]*$/.test(text) ? text : bytes.toString('hex');
}

describe('the file of the trade journal', () => {
  it('matches, row by row, the bytes of the version before the request-life table', async () => {
    const rig = new JournalRig();
    try {
      await trade(rig);
      const copy = join(rig.folder, 'copy');
      cpSync(join(rig.folder, 'journal'), copy, { recursive: true });
      expect(await rowsOf(copy)).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    } finally {
      await rig.stop();
    }
  });
});
