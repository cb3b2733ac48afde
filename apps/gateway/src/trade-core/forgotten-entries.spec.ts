import type { EndedEntry, UsedKey } from './core-event';
import { retentionMs } from './known-key';
import { CoreRig, responseTtlMs } from './testing/core-rig';

const nowMs = retentionMs.key + 10_000;

describe('when time has passed', () => {
  function forget(ended: readonly EndedEntry[], keys: readonly UsedKey[] = []): unknown {
    const rig = new CoreRig();
    rig.nowMs = nowMs - 1;
    const effects = rig.deliver({ type: 'time passed', ended, keys });
    const [effect] = effects;
    expect(effects).toMatchObject([{ type: 'append', key: null, kind: 'retention', events: [] }]);
    rig.endWrite(true);
    expect(rig.core.state.writes.size).toBe(0);
    return effect && 'changes' in effect ? effect.changes : null;
  }
  const lifetime = (kind: EndedEntry['kind'], id: string) => ({ kind, id, untilRunningMs: 5 });

  it.each([
    ['an intent', 'intent', 'intent'],
    ['the claim of an order', 'ticket', 'claim'],
  ] as const)('%s is removed', (_case, kind, removed) => {
    const entry = lifetime(kind, '7');
    expect(forget([{ ...entry, settled: null }])).toEqual([
      { remove: 'lifetime', entry },
      { remove: removed, id: '7' },
    ]);
  });

  it.each(['completed', 'recovered', 'absent', 'accepted'] as const)(
    'the answer of a request that is %s is removed, or kept for as long as the setting now says',
    (status) => {
      const entry = lifetime('request', 'a');
      const ended = (runningMs: number) => forget([{ ...entry, settled: { status, runningMs } }]);
      expect(ended(nowMs - responseTtlMs)).toEqual([
        { remove: 'lifetime', entry },
        { remove: 'request', id: 'a' },
      ]);
      expect(ended(nowMs - responseTtlMs + 1)).toEqual([
        { remove: 'lifetime', entry },
        { put: 'lifetime', kind: 'request', id: 'a', untilMs: nowMs + 1 },
      ]);
    },
  );

  it('a request that is not settled is not removed', () => {
    const entry = lifetime('request', 'a');
    expect(forget([{ ...entry, settled: null }])).toEqual([{ remove: 'lifetime', entry }]);
  });

  it.each(['completed', 'recovered', 'absent', 'accepted', 'void'] as const)(
    'a key that is %s is free after its last day',
    (status) => {
      const key = (endedAtRunningMs: number): UsedKey => ({ hash: 'h', status, endedAtRunningMs });
      expect(forget([], [key(nowMs - retentionMs.key)])).toEqual([]);
      expect(forget([], [key(nowMs - retentionMs.key - 1)])).toEqual([{ remove: 'key', id: 'h' }]);
    },
  );
});
