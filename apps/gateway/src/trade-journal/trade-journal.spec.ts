import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { LmdbStore, lmdbStores } from '@libs/store';
import { TradeAction, tradeRequest, type OrderSendResult } from '@libs/terminal-client';
import { startProblem } from '../start-problem';
import { JournalStore } from './journal.store';
import type { NewIntent } from '../trade-core/journal-records';
import { TradeJournal } from './trade-journal';

const intent: NewIntent = {
  purpose: 'open',
  request: tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 }),
  serverTimeMsc: 1,
  positionId: 0,
  positionVolume: 0,
};
const result: OrderSendResult = {
  ...{ retcode: 10009, deal: 7, order: 9, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};
const identity = (key: string) => ({
  ...{ clientOrderId: key, requestId: 'r', method: 'POST', path: '/order', route: 'POST /order', fingerprint: 'f' },
});

/** A disk that rejects writes while `full` is set. */
class FillingDisk extends JournalStore {
  full = false;
  override async write(change: Parameters<JournalStore['write']>[0]): Promise<void> {
    if (this.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    await super.write(change);
  }
}

describe('the trade journal', () => {
  let folder: string;
  let clock: VirtualClock;
  let store: FillingDisk;
  let journal: TradeJournal;
  let complaints: string[];
  let ids = 0;

  const open = (): void => {
    store = new FillingDisk(lmdbStores, join(folder, 'journal'), () => 'journal-id');
    journal = new TradeJournal(store, clock, 60_000, () => `id${++ids}`, {
      error: (_facts, message) => void complaints.push(message),
    });
    journal.trust.proveWith({ find: async () => null });
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    clock = new VirtualClock();
    complaints = [];
    open();
    await journal.trust.settle();
  });
  afterEach(async () => {
    await journal.close();
    rmSync(folder, { recursive: true });
  });
  const reopen = async (): Promise<void> => {
    await journal.close();
    open();
  };
  const begin = (key: string) => {
    const reservation = journal.reserve(identity(key), true);
    if (reservation.kind !== 'reserved') throw new Error(reservation.kind);
    return reservation.attempt;
  };

  it('reserves a key once, in the same turn', () => {
    begin('k');
    expect(journal.reserve(identity('k'), true)).toEqual({ kind: 'in_progress' });
    expect(journal.reserve({ ...identity('k'), fingerprint: 'other' }, true)).toMatchObject({
      kind: 'conflict',
      first: { route: 'POST /order' },
    });
  });

  it('after a crash, treats a send that may have gone out as unknown', async () => {
    const attempt = begin('k');
    const sealed = await journal.record(attempt, intent);
    await reopen();
    const [interrupted] = await journal.recover();
    expect(interrupted?.intent).toMatchObject({ id: sealed.intentId, request: intent.request });
    expect(journal.reserve(identity('k'), true)).toMatchObject({ kind: 'replay', status: 502 });
    expect(journal.unresolved().map(({ key }) => key)).toEqual(['k']);
  });

  it('still looks up a close of unknown outcome that was written only after the disk recovered', async () => {
    const attempt = begin('k');
    store.full = true;
    const { intentId } = await journal.record(attempt, { ...intent, purpose: 'close', positionId: 7 });
    await journal.settle(attempt, intentId, { kind: 'unknown', reason: 'no answer', result: null, lastError: null });
    await journal.complete(attempt, { status: 502, body: '{}' });
    store.full = false;
    await journal.sweep();
    await reopen();
    await journal.recover();
    expect(journal.unresolved().map(({ key }) => key)).toEqual(['k']);
  });

  it.each([
    ['requests', 'k', 'is cut of'],
    ['requests', 'k', '{"key":"other"}'],
    ['intents', 'id1/0', '{"id":'],
    ['intents', 'id1/0', '{"id":"id1/0"}'],
  ])('refuses to start, in one line, if among its %s an open one, %s, is unreadable: %s', async (table, key, bytes) => {
    ids = 0;
    await journal.record(begin('k'), intent);
    await journal.close();
    const path = join(folder, 'journal');
    const damage = LmdbStore.open({ name: 'journal', path, layout: 'folder', maxTables: 24 }, (source) =>
      source.table<Buffer, Buffer>(table, 'binary'),
    );
    await damage.write((records) => void records.put(Buffer.from(key), Buffer.from(bytes)));
    await damage.close();
    open();
    const problem = startProblem(await journal.recover().catch((error: unknown) => error), null);
    expect(problem).toMatch(/^STATE_DIR: .*journal\/data\.mdb is damaged: the open request "k" cannot be read: .+$/);
    expect(problem).not.toContain('\n');
  });

  it('declares an intent unknown only once', async () => {
    await journal.record(begin('k'), intent);
    await reopen();
    await journal.recover();
    await reopen();
    expect(await journal.recover()).toEqual([]);
    expect(journal.unresolved()).toHaveLength(1);
  });

  it('keeps the exact answer of a finished request, and the owner of its ticket', async () => {
    const attempt = begin('k');
    const { intentId } = await journal.record(attempt, intent);
    await journal.settle(attempt, intentId, { kind: 'done', result, source: 'answer' });
    await journal.complete(attempt, { status: 200, body: '{"a":1.10}' });
    await reopen();
    expect(await journal.recover()).toEqual([]);
    expect(journal.reserve(identity('k'), true)).toEqual({ kind: 'replay', status: 200, body: '{"a":1.10}' });
    expect(journal.clientOrderIdOf(9)).toBe('k');
    expect(journal.unresolved()).toEqual([]);
  });

  it('frees a key under which nothing was sent, also over a restart', async () => {
    const attempt = begin('k');
    const { intentId } = await journal.record(attempt, intent);
    await journal.settle(attempt, intentId, { kind: 'not_sent', reason: 'halted', lastError: null });
    await journal.release(attempt);
    expect(journal.remembers('k')).toBe(false);
    await reopen();
    await journal.recover();
    expect(journal.remembers('k')).toBe(false);
  });

  it('drops a response after its time but keeps the key, and never drops an unresolved request', async () => {
    const done = begin('done');
    const { intentId } = await journal.record(done, intent);
    await journal.settle(done, intentId, { kind: 'done', result, source: 'answer' });
    await journal.complete(done, { status: 200, body: '{}' });
    const unknown = begin('unknown');
    await journal.record(unknown, intent);
    await journal.complete(unknown, { status: 502, body: '{}' });
    await clock.advance(60_001);
    await journal.sweep();
    expect(journal.lookUp('done')).toMatchObject({ kind: 'remembered', entry: { status: 'completed', ticket: 9 } });
    expect(store.request('done')).toBeUndefined();
    expect(journal.remembers('unknown')).toBe(true);
    expect(journal.clientOrderIdOf(9)).toBe('done');
  });

  it('accepts new risk only after a new journal is proven', async () => {
    await journal.close();
    rmSync(join(folder, 'journal'), { recursive: true });
    open();
    let isReadable = false;
    const find = async (): Promise<null> => {
      if (!isReadable) throw new ApiError('terminal_unavailable', 'the terminal did not answer the read');
      return null;
    };
    journal.trust.proveWith({ find });
    const attempt = journal.begin(identity('a'), true);
    await expect(journal.record(attempt, intent)).rejects.toMatchObject({ errorType: 'terminal_unavailable' });
    expect(journal.trust.report()).toMatchObject({ state: 'unproven' });
    isReadable = true;
    await journal.record(attempt, intent);
    expect(journal.trust.report()).toMatchObject({ state: 'ok', id: expect.any(String) });
  });

  it('denies new risk on a full disk, and leaves the key free', async () => {
    store.full = true;
    const attempt = begin('k');
    await expect(journal.record(attempt, intent)).rejects.toMatchObject({ errorType: 'journal_unavailable' });
    await journal.release(attempt);
    expect(journal.remembers('k')).toBe(false);
    expect(complaints).toHaveLength(1);
  });

  it.each(['close', 'close_partial', 'cancel'] as const)(
    'allows a %s on a full disk, and writes it when it can',
    async (purpose) => {
      store.full = true;
      const attempt = begin('k');
      const { intentId } = await journal.record(attempt, { ...intent, purpose });
      await journal.settle(attempt, intentId, { kind: 'done', result, source: 'answer' });
      await journal.complete(attempt, { status: 200, body: '{"ok":true}' });
      expect(journal.reserve(identity('k'), true)).toMatchObject({ kind: 'replay', body: '{"ok":true}' });
      expect(complaints.length).toBeGreaterThanOrEqual(3);
      store.full = false;
      await journal.sweep();
      await reopen();
      expect(journal.reserve(identity('k'), true)).toMatchObject({ kind: 'replay', body: '{"ok":true}' });
    },
  );

  it('never loses an answer to a disk that fills up after the send', async () => {
    const attempt = begin('k');
    const { intentId } = await journal.record(attempt, intent);
    store.full = true;
    await journal.settle(attempt, intentId, { kind: 'done', result, source: 'answer' });
    await journal.complete(attempt, { status: 200, body: '{}' });
    expect(journal.reserve(identity('k'), true)).toMatchObject({ kind: 'replay', status: 200 });
    expect(journal.clientOrderIdOf(9)).toBe('k');
  });

  it('gives an order that replaced a changed one to the key and magic number of the first, unless it has a request', async () => {
    const place = { ...intent, request: { ...intent.request, magic: 7 } };
    const change = { ...intent, purpose: 'modify_order', request: { ...intent.request, order: 9 } } as const;
    const send = async (key: string, made: NewIntent, order: number): Promise<string> => {
      const attempt = begin(key);
      const { intentId } = await journal.record(attempt, made);
      await journal.settle(attempt, intentId, { kind: 'done', result: { ...result, order }, source: 'answer' });
      await journal.complete(attempt, { status: 200, body: '{}' });
      return intentId;
    };
    await send('placed', place, 9);
    const other = await send('other', intent, 12);
    await send('kept', change, 9);
    const replaced = await send('replaced', change, 10);
    const again = await send('again', { ...change, request: { ...change.request, order: 10 } }, 11);
    await send('wrong', change, 12);
    await send('unknown', { ...change, request: { ...change.request, order: 20 } }, 21);
    await reopen();
    const expected = { clientOrderId: 'placed', magic: 7 };
    expect(journal.claim(9)).toMatchObject(expected);
    expect(journal.claim(10)).toEqual({ ...expected, intentId: replaced });
    expect(journal.claim(11)).toEqual({ ...expected, intentId: again });
    expect(journal.claim(12)).toMatchObject({ clientOrderId: 'other', intentId: other });
    expect(journal.claim(21)).toBeUndefined();
  });

  it('writes the claim of an order with the answer if the write of its outcome failed meanwhile', async () => {
    const attempt = begin('k');
    const { intentId } = await journal.record(attempt, intent);
    store.full = true;
    attempt.keepRecording(journal.settle(attempt, intentId, { kind: 'done', result, source: 'answer' }));
    store.full = false;
    // As after a crash right behind this write: what the failed one left is written again later.
    await journal.complete(attempt, { status: 200, body: '{}' });
    expect(store.claim(9)).toEqual({ intentId, clientOrderId: 'k', magic: expect.any(Number) });
  });

  it.each([false, true])('writes an outcome with its answer, or later if both fail: %s', async (isFull) => {
    const attempt = begin('k');
    const { intentId } = await journal.record(attempt, { ...intent, purpose: 'cancel' });
    store.full = true;
    attempt.keepRecording(journal.settle(attempt, intentId, { kind: 'done', result, source: 'answer' }));
    store.full = isFull;
    await journal.complete(attempt, { status: 200, body: '{}' });
    expect(journal.openRequest('k')).toBe(isFull ? attempt : undefined);
    store.full = false;
    await journal.sweep();
    expect(journal.openRequest('k')).toBeUndefined();
    expect(store.intent(intentId)).toMatchObject({ outcome: { kind: 'done' } });
    expect(store.request('k')).toMatchObject({ status: 'completed', response: '{}' });
  });

  it('logs once, not every few seconds, that the running time cannot be stored', async () => {
    for (let fillings = 1; fillings <= 2; fillings++) {
      store.full = true;
      for (let round = 0; round < 5; round++) await journal.intents.keepRunningTime();
      await journal.intents.keepEvidence('id/0', { nothing: { reads: 1, lastRunningMs: 0 } });
      expect(complaints).toEqual(Array(fillings).fill('the state of the look-ups cannot be written'));
      store.full = false;
      await journal.intents.keepRunningTime();
    }
  });

  it('keeps five hundred simultaneous requests apart', async () => {
    await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const attempt = begin(`k${index}`);
        const { intentId } = await journal.record(attempt, intent);
        const own = { ...result, order: 1_000 + index };
        await journal.settle(attempt, intentId, { kind: 'done', result: own, source: 'answer' });
        await journal.complete(attempt, { status: 200, body: String(index) });
      }),
    );
    await reopen();
    for (let index = 0; index < 500; index += 50) {
      expect(journal.reserve(identity(`k${index}`), true)).toMatchObject({ body: String(index) });
      expect(journal.clientOrderIdOf(1_000 + index)).toBe(`k${index}`);
    }
  });
});
