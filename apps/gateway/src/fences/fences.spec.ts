import { VirtualClock } from '@libs/clock';
import { auditedFences } from './audited-fences';
import type { FenceStore, Losses, StoredFence } from './fence';
import { Fences } from './fences';

const trend = (token: number) => ({ name: 'trend', token });

/** A store in memory: what a put leaves is what the next start finds. */
class MemoryStore implements FenceStore {
  losses: Losses = { count: 0, lastAtMs: 0 };
  readonly rows = new Map<string, StoredFence>();
  fences(): Iterable<readonly [string, StoredFence]> {
    return [...this.rows];
  }
  putFences(fences: ReadonlyMap<string, StoredFence>): Promise<void> {
    for (const [name, fence] of fences) this.rows.set(name, fence);
    return Promise.resolve();
  }
  /** Lost or restored from a backup, at this time. */
  lose(lastAtMs: number): void {
    this.losses = { count: this.losses.count + 1, lastAtMs };
  }
}

describe('the fences', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7));
  let store: MemoryStore;
  let fences: Fences;
  beforeEach(() => {
    store = new MemoryStore();
    fences = new Fences(store, clock);
  });

  const raise = (token: number, magics: readonly number[] = [], name = 'trend') =>
    fences.raise(name, { token, magics });
  const refusal = (token: number | null, magic: number | null = null) =>
    fences.refusal(token === null ? null : trend(token), magic)?.errorType ?? null;
  const restart = (): void => void (fences = new Fences(store, clock));

  it('wait for the sends that they would refuse now, and for no others', async () => {
    await raise(7, [7001]);
    const own = fences.begin(trend(7), [1]);
    const unfenced = fences.begin(null, [0, 7001]);
    const foreign = fences.begin({ name: 'other', token: 1 }, [5]);
    await raise(8);
    const current = fences.begin(trend(8), [7001]);
    await expectPending(fences.drained('trend', 1_000), 2);
    own();
    await expectPending(fences.drained('trend', 1_000), 1);
    const drained = fences.drained('trend', 1_000);
    unfenced();
    await drained;
    await fences.drained('other', 1_000);
    foreign();
    current();
  });

  /** @param sends those that keep it from its end until its deadline */
  async function expectPending(drained: Promise<void>, sends: number): Promise<void> {
    const failure = drained.catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ errorType: 'fence_pending', details: { sends } });
  }

  it('give each raise its turn: the highest of simultaneous ones stays', async () => {
    const results = await Promise.allSettled([raise(5), raise(9), raise(7), raise(9)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(store.rows.get('trend')?.token).toBe(9);
    restart();
    expect([refusal(8), refusal(9), refusal(10)]).toEqual(['fenced_out', null, 'fence_required']);
  });

  it('are held after a loss, and need a token above all that were issued before it, also at a second restore', async () => {
    await raise(7, [7001]);
    const backup = new Map(store.rows);
    const restore = (atMs: number): void => {
      store.rows.clear();
      for (const [name, fence] of backup) store.rows.set(name, fence);
      store.losses = { count: 1, lastAtMs: atMs };
      restart();
    };
    restore(1_800_000_000_000);
    expect([refusal(6), refusal(7), refusal(8)]).toEqual(['fenced_out', 'fence_required', 'fence_required']);
    expect(fences.find('trend')).toMatchObject({ state: 'held', token: 1_800_000_000_000 });
    await expect(raise(1_800_000_000_000)).rejects.toMatchObject({ errorType: 'fence_conflict' });
    await raise(1_800_000_000_001);
    await raise(1_800_000_000_009);
    expect(refusal(1_800_000_000_009, 7001)).toBeNull();
    restore(1_800_000_600_000);
    await expect(raise(1_800_000_000_009)).rejects.toMatchObject({ details: { stored: 1_800_000_600_000 } });
    await raise(1_800_000_600_001);
    expect(refusal(1_800_000_600_001)).toBeNull();
  });

  it('need a margin of tokens after a loss, if the clock was set back', async () => {
    await raise(50);
    store.lose(5);
    await expect(raise(1_000_050)).rejects.toMatchObject({ details: { stored: 1_000_050 } });
    await raise(1_000_051);
    expect(refusal(1_000_051)).toBeNull();
  });

  it('are held at once when the journal turns out to be lost while the gateway runs', async () => {
    await raise(7);
    expect(refusal(7)).toBeNull();
    store.lose(1);
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
    store.lose(1);
    restart();
    await fences.takeUp(auditedFences(lines));
    restart();
    expect(fences.all()).toMatchObject([
      { strategy: 'a', magics: [1], state: 'held' },
      { strategy: 'b', magics: [2], state: 'held' },
    ]);
    expect(fences.refusal({ name: 'a', token: 6 }, null)?.errorType).toBe('fenced_out');
    expect(fences.refusal(null, 2)?.errorType).toBe('fence_required');
    // A journal that has the raise itself is as it was.
    await raise(2_000_000, [], 'a');
    await fences.takeUp(auditedFences([...lines, line('a', 2_000_000, [1])]));
    expect(fences.find('a')).toMatchObject({ state: 'raised', token: 2_000_000 });
  });
});
