import { applyChange } from '../trade-journal/journal-tables';
import { JournalRig, marketOrder } from '../trade-journal/testing/journal-rig';
import type { FenceClaim, Losses, StoredFence } from '../trade-core/fence';
import { auditedFences } from './audited-fences';
import { Fences } from './fences';

const trend = (token: number) => ({ name: 'trend', token });

describe('the fences', () => {
  let rig: JournalRig;
  let losses: Losses;
  let fences: Fences;
  let sends: number;
  beforeEach(() => {
    rig = new JournalRig();
    losses = { count: 0, lastAtMs: 0 };
    sends = 0;
    take();
  });
  afterEach(() => rig.stop());

  const take = (): void => void (fences = new Fences(rig.journal.shell, () => losses, rig.clock));
  const lose = (lastAtMs: number): void => void (losses = { count: losses.count + 1, lastAtMs });
  const raise = (token: number, magics: readonly number[] = [], name = 'trend') =>
    fences.raise(name, { token, magics });
  const refusal = (token: number | null, magic: number | null = null) => {
    const claim = token === null ? null : trend(token);
    return (magic === null ? fences.refusal(claim) : fences.refusalOfSend(claim, [magic]))?.errorType ?? null;
  };
  const restart = async (): Promise<void> => {
    await rig.restart();
    take();
  };

  /** A send that has passed its last check. @returns what gives it an outcome */
  const begin = async (claim: FenceClaim | null, magics: readonly number[]): Promise<() => Promise<void>> => {
    const attempt = rig.begin(`send ${++sends}`);
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    expect(fences.begin(intentId, claim, magics)).toBeNull();
    return () => rig.journal.settle(attempt, intentId, { kind: 'rejected', result: null, lastError: null });
  };

  it('wait for the sends that they would refuse now, and for no others', async () => {
    await raise(7, [7001]);
    await raise(1, [], 'other');
    const own = await begin(trend(7), [1]);
    const second = await begin(trend(7), [0, 7001]);
    const foreign = await begin({ name: 'other', token: 1 }, [5]);
    await raise(8);
    const current = await begin(trend(8), [7001]);
    await expectPending(fences.drained('trend', 1_000), 2);
    await own();
    await expectPending(fences.drained('trend', 1_000), 1);
    const drained = fences.drained('trend', 1_000);
    await second();
    await drained;
    await fences.drained('other', 1_000);
    await foreign();
    await current();
  });

  it('refuse a send in its last step, and let it wait while a raise is written', async () => {
    await raise(7, [7001]);
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    expect(fences.begin(intentId, null, [1, 7001])).toMatchObject({ errorType: 'fence_required' });
    const raised = raise(8);
    expect(fences.begin(intentId, null, [1])).toBeNull();
    expect(fences.begin(intentId, trend(7), [1])).toBe('being raised');
    expect(fences.begin(intentId, null, [1, 7001])).toBe('being raised');
    await fences.decided();
    expect(fences.begin(intentId, trend(7), [1])).toMatchObject({ errorType: 'fenced_out' });
    await raised;
    expect(fences.begin(intentId, trend(8), [1])).toBeNull();
  });

  it('are as they were if a raise cannot be written', async () => {
    await raise(7, [7001]);
    rig.disk.full = true;
    await expect(raise(8, [8001])).rejects.toMatchObject({ errorType: 'journal_unavailable' });
    rig.disk.full = false;
    expect([refusal(7), refusal(8), refusal(null, 8001)]).toEqual([null, 'fence_required', null]);
  });

  /** @param left those that keep it from its end until its deadline */
  async function expectPending(drained: Promise<void>, left: number): Promise<void> {
    const failure = drained.catch((error: unknown) => error);
    await rig.clock.advance(1_000);
    expect(await failure).toMatchObject({ errorType: 'fence_pending', details: { sends: left } });
  }

  it('give each raise its turn: the highest of simultaneous ones stays', async () => {
    const results = await Promise.allSettled([raise(5), raise(9), raise(7), raise(9)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await restart();
    expect(new Map(rig.disk.fences()).get('trend')?.token).toBe(9);
    expect([refusal(8), refusal(9), refusal(10)]).toEqual(['fenced_out', null, 'fence_required']);
  });

  it('are held after a loss, and need a token above all that were issued before it, also at a second restore', async () => {
    await raise(7, [7001]);
    const backup: readonly (readonly [string, StoredFence])[] = [...rig.disk.fences()];
    const restore = async (atMs: number): Promise<void> => {
      await rig.disk.write((tables) => {
        for (const [name, fence] of backup) applyChange(tables, { put: 'fence', name, fence });
      });
      losses = { count: 1, lastAtMs: atMs };
      await restart();
    };
    await restore(1_800_000_000_000);
    expect([refusal(6), refusal(7), refusal(8)]).toEqual(['fenced_out', 'fence_required', 'fence_required']);
    expect(fences.find('trend')).toMatchObject({ state: 'held', token: 1_800_000_000_000 });
    await expect(raise(1_800_000_000_000)).rejects.toMatchObject({ errorType: 'fence_conflict' });
    await raise(1_800_000_000_001);
    await raise(1_800_000_000_009);
    expect(refusal(1_800_000_000_009, 7001)).toBeNull();
    await restore(1_800_000_600_000);
    await expect(raise(1_800_000_000_009)).rejects.toMatchObject({ details: { stored: 1_800_000_600_000 } });
    await raise(1_800_000_600_001);
    expect(refusal(1_800_000_600_001)).toBeNull();
  });

  it('need a margin of tokens after a loss, if the clock was set back', async () => {
    await raise(50);
    lose(5);
    await expect(raise(1_000_050)).rejects.toMatchObject({ details: { stored: 1_000_050 } });
    await raise(1_000_051);
    expect(refusal(1_000_051)).toBeNull();
  });

  it('are held at once when the journal turns out to be lost while the gateway runs', async () => {
    await raise(7);
    expect(refusal(7)).toBeNull();
    lose(1);
    expect(refusal(7)).toBe('fence_required');
  });

  it('take up from the audit log what a lost journal had, newest raise first', async () => {
    const line = (name: string, token: number, magics: number[]) => ({
      ...{ event: 'fence_raised', fence: name, fence_token: token, fence_magics: magics },
    });
    const lines = [
      line('b', 3, [2]),
      { event: 'intent', fence: 'a', fence_token: 9 },
      line('a', 7, [1, 2]),
      line('a', 6, [1]),
    ];
    lose(1);
    await restart();
    await fences.takeUp(auditedFences(lines));
    await restart();
    expect(fences.all()).toMatchObject([
      { strategy: 'a', magics: [1], state: 'held' },
      { strategy: 'b', magics: [2], state: 'held' },
    ]);
    expect(fences.refusal({ name: 'a', token: 6 })?.errorType).toBe('fenced_out');
    expect(fences.refusalOfSend(null, [2])?.errorType).toBe('fence_required');
    // A journal that has the raise itself is as it was.
    await raise(2_000_000, [], 'a');
    await fences.takeUp(auditedFences([...lines, line('a', 2_000_000, [1])]));
    expect(fences.find('a')).toMatchObject({ state: 'raised', token: 2_000_000 });
  });
});
