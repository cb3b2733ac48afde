import { JournalRig, marketOrder, responseTtlMs } from './testing/journal-rig';

const lost = { kind: 'unknown', reason: 'no answer', result: null, lastError: null } as const;
const rejected = { kind: 'rejected', result: null, lastError: null } as const;

describe('a key in the trade journal', () => {
  let rig: JournalRig;
  beforeEach(() => {
    rig = new JournalRig();
  });
  afterEach(() => rig.stop());

  it('keeps the outcome of a late answer if the deadline is recorded after it', async () => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    await rig.journal.settle(attempt, intentId, rejected);
    await rig.journal.settle(attempt, intentId, lost);
    expect(attempt.intents.get(intentId)?.outcome).toEqual(rejected);
    await rig.restart();
    expect(rig.disk.intent(intentId)?.outcome).toEqual(rejected);
  });

  it('is kept until its outcome is on disk, even after the answer expired', async () => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, { ...marketOrder, purpose: 'close_partial' });
    rig.disk.full = true;
    await rig.journal.settle(attempt, intentId, rejected);
    await rig.journal.complete(attempt, { status: 422, body: '{}' });
    await rig.clock.advance(responseTtlMs + 1);
    expect(rig.reserve('k')).toEqual({ kind: 'replay', status: 422, body: '{}' });
    rig.disk.full = false;
  });

  it('is known after a crash between its outcome and its answer, on a disk that took no intent before', async () => {
    const attempt = rig.begin('k');
    rig.disk.full = true;
    const first = await rig.journal.record(attempt, { ...marketOrder, purpose: 'close_partial' });
    const second = await rig.journal.record(attempt, { ...marketOrder, purpose: 'close_partial' });
    await rig.journal.settle(attempt, first.intentId, rejected);
    rig.disk.full = false;
    await rig.journal.settle(attempt, second.intentId, lost);
    await rig.crash();
    expect(rig.reserve('k')).not.toMatchObject({ kind: 'reserved' });
    const [open] = rig.journal.unresolved();
    expect([...(open?.intents.values() ?? [])].map(({ outcome }) => outcome)).toEqual([rejected, lost]);
  });

  it('sends nothing for an answered request', async () => {
    const attempt = rig.begin('k');
    await rig.journal.complete(attempt, { status: 200, body: '{}' });
    await expect(rig.journal.record(attempt, marketOrder)).rejects.toThrow('a request that is completed cannot send');
  });

  it('is not released while a send may have been executed', async () => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    await rig.journal.settle(attempt, intentId, lost);
    await expect(rig.journal.release(attempt)).rejects.toThrow('may_be_done');
    expect(rig.reserve('k')).toEqual({ kind: 'in_progress' });
  });

  it('is busy until the request of a refused send is removed from the disk', async () => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    await rig.journal.settle(attempt, intentId, { kind: 'not_sent', reason: 'halted', lastError: null });
    const released = rig.journal.release(attempt);
    expect(rig.reserve('k')).toEqual({ kind: 'in_progress' });
    await released;
    const next = rig.begin('k');
    expect(rig.journal.openRequest('k')).toBe(next);
    await expect(rig.journal.record(attempt, marketOrder)).rejects.toThrow('cannot send');
  });

  it('is either void or sent if a second void starts after the first failed to be written', async () => {
    const attempt = rig.begin('k');
    rig.disk.full = true;
    const first = rig.journal.makeVoid('k');
    rig.disk.full = false;
    const sent = rig.journal.record(attempt, marketOrder);
    const second = first.catch(() => rig.journal.makeVoid('k'));
    const [outcome] = await Promise.allSettled([sent, second]);
    const isVoid = rig.journal.lookUp('k')?.kind === 'remembered';
    expect(isVoid).toBe(outcome.status === 'rejected');
  });
});
