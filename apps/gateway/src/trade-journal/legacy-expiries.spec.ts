import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { lmdbStores } from '@libs/store';
import { tradeRequest } from '@libs/terminal-client';
import type { TradeRequestRecord } from '../trade-core/journal-records';
import { JournalStore } from './journal.store';
import { JumpingClock } from './testing/jumping-clock';
import { dayMs } from './testing/journal-rig';
import { TradeJournal } from './trade-journal';

const fingerprint = 'ab'.repeat(32);
const settled: TradeRequestRecord = {
  ...{ id: 'a', key: 'settled', clientOrderId: 'settled', requestId: 'r', method: 'POST', path: '/order' },
  ...{ route: 'POST /order', fingerprint, status: 'completed', createdAtMs: 1_000, settledAtMs: 2_000 },
  ...{ responseStatus: 200, response: '{"ok":true}' },
};
const intent = {
  ...{
    id: 'a/0',
    key: 'settled',
    purpose: 'open',
    request: tradeRequest({ action: 1, symbol: 'EURUSD' }),
    createdAtMs: 1_000,
  },
  ...{ serverTimeMsc: 0, positionId: 0, positionVolume: 0 },
  outcome: { kind: 'done', source: 'answer', result: { order: 5 } },
};

/** A journal of version 0.1.0 in which everything has expired by the wall clock. */
async function writeLegacyJournal(folder: string): Promise<void> {
  const root = open({ path: folder, noSubdir: false, maxDbs: 8, encoding: 'json' });
  const table = (name: string) => root.openDB(name, { encoding: 'json' });
  await table('requests').put('settled', settled);
  await table('requests').put('open', {
    ...{ ...settled, id: 'b', key: 'open', clientOrderId: 'open', status: 'unknown', settledAtMs: null },
    ...{ responseStatus: 502, response: '{"ok":false}' },
  });
  await table('open').put('open', 1);
  await table('intents').put('a/0', intent);
  await table('timeline').put([1_000, 'a/0'], 1);
  await table('claims').put(5, { intentId: 'a/0', clientOrderId: 'settled' });
  await table('claims').put(6, { intentId: 'gone/0', clientOrderId: 'forgotten' });
  for (const [kind, id] of [
    ['request', 'settled'],
    ['intent', 'a/0'],
    ['ticket', '5'],
    ['ticket', '6'],
  ]) {
    await table('expiries').put([2_000, kind ?? '', id ?? ''], 1);
  }
  await root.close();
}

describe('a journal of version 0.1.0', () => {
  const clock = new JumpingClock(Date.UTC(2026, 0, 7));
  let folder: string;
  let journal: TradeJournal;
  const identity = (key: string, of = fingerprint) => ({
    ...{ clientOrderId: key, requestId: 'r', method: 'POST', path: '/order', route: 'POST /order', fingerprint: of },
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    await writeLegacyJournal(folder);
    journal = new TradeJournal(new JournalStore(lmdbStores, folder, () => 'journal-id'), clock, 60_000, () => 'new', {
      error: () => undefined,
    });
    await journal.recover();
    await journal.sweep();
  });
  afterEach(async () => {
    await journal.close();
    rmSync(folder, { recursive: true });
  });

  it('keeps its entries, regardless of their age by the wall clock', async () => {
    expect(journal.reserve(identity('settled'), true)).toEqual({ kind: 'replay', status: 200, body: '{"ok":true}' });
    expect(journal.reserve(identity('open'), true)).toMatchObject({ kind: 'replay', status: 502 });
    expect(journal.unresolved().map(({ key }) => key)).toEqual(['open']);
    expect(journal.clientOrderIdOf(5)).toBe('settled');
    expect(await journal.intents.since(0)).toHaveLength(1);
  });

  it('moves to running time: the response expires first, the key after a hundred days', async () => {
    await clock.advance(60_001);
    await journal.sweep();
    expect(journal.lookUp('settled')).toMatchObject({ kind: 'remembered', entry: { status: 'completed', ticket: 5 } });
    expect(journal.reserve(identity('settled', 'cd'.repeat(32)), true)).toMatchObject({ kind: 'conflict' });
    await clock.advance(101 * dayMs);
    await journal.sweep();
    expect(journal.remembers('settled')).toBe(false);
    expect(journal.clientOrderIdOf(5)).toBeNull();
    expect(journal.remembers('open')).toBe(true);
  });

  it('finds by its ticket a key whose request expired, and sends nothing for it', () => {
    const known = journal.reserve(identity('forgotten'), true);
    expect(known).toMatchObject({ kind: 'replay', status: 200 });
    expect(known.kind === 'replay' && JSON.parse(known.body)).toMatchObject({ ticket: 6, result: null });
  });
});
