import { JournalRig, marketOrder, dayMs } from './testing/journal-rig';

describe('making a key void', () => {
  let rig: JournalRig;
  beforeEach(() => {
    rig = new JournalRig();
  });
  afterEach(() => rig.stop());

  it('fails if it cannot be written, and leaves a request under the key unchanged', async () => {
    const attempt = rig.begin('k');
    rig.disk.full = true;
    await expect(rig.journal.makeVoid('k')).rejects.toMatchObject({ errorType: 'journal_unavailable' });
    await expect(rig.journal.makeVoid('new')).rejects.toMatchObject({ errorType: 'journal_unavailable' });
    rig.disk.full = false;
    expect(rig.reserve('new')).toMatchObject({ kind: 'reserved' });
    await expect(rig.journal.record(attempt, marketOrder)).resolves.toBeDefined();
  });

  it('takes precedence over a later intent, but not over one that is being written', async () => {
    const first = rig.begin('void first');
    const voided = rig.journal.makeVoid('void first');
    await expect(rig.journal.record(first, marketOrder)).rejects.toMatchObject({ errorType: 'key_void' });
    expect(await voided).toMatchObject({ kind: 'remembered', entry: { status: 'void' } });

    const second = rig.begin('intent first');
    const written = rig.journal.record(second, marketOrder);
    expect(await rig.journal.makeVoid('intent first')).toMatchObject({ kind: 'request' });
    await written;
  });

  it('delays a request that arrives while it is being written', async () => {
    const voided = rig.journal.makeVoid('k');
    expect(rig.reserve('k')).toEqual({ kind: 'in_progress' });
    await voided;
    expect(rig.reserve('k')).toEqual({ kind: 'void' });
  });

  it('lasts a hundred days of running time', async () => {
    await rig.journal.makeVoid('k');
    await rig.journal.makeVoid('not swept');
    rig.clock.jump(300 * dayMs);
    await rig.clock.advance(99 * dayMs);
    await rig.restart(300 * dayMs);
    await rig.journal.sweep();
    expect(rig.reserve('k', 'any')).toEqual({ kind: 'void' });
    await rig.clock.advance(2 * dayMs);
    // An accepted key is not delayed at its send, even before its void is removed.
    await expect(rig.journal.record(rig.begin('not swept'), marketOrder)).resolves.toBeDefined();
    await rig.journal.sweep();
    expect(rig.reserve('k')).toMatchObject({ kind: 'reserved' });
  });
});
