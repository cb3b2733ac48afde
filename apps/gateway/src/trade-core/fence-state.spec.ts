import type { FenceClaim, Losses, StoredFence } from './fence';
import { fenceProblem, outdatedSends, shownFence } from './fence-state';
import { CoreRig } from './testing/core-rig';

const none: Losses = { count: 0, lastAtMs: 0 };
const cause = { request_id: 'r', trace_id: 't', api_key: 'primary' } as const;
const trend = (token: number): FenceClaim => ({ name: 'trend', token });

describe('a fence', () => {
  let rig: CoreRig;
  let losses: Losses;
  beforeEach(() => {
    rig = new CoreRig();
    losses = none;
  });

  const ask = (token: number, magics: readonly number[] = [], name = 'trend') =>
    rig.deliver({ type: 'fence asked', name, wanted: { token, magics }, cause, losses });
  const raise = (token: number, magics: readonly number[] = [], name = 'trend') => {
    ask(token, magics, name);
    rig.endWrite(true);
  };
  const send = (claim: FenceClaim | null, magics: readonly number[], intentId = 'i/0') =>
    rig.deliver({ type: 'sending', intentId, claim, magics, losses });
  const shown = (name = 'trend') => shownFence(rig.core.state, name, losses);
  const magicsOf = (name: string) => rig.core.state.fences.get(name)?.magics;

  it('is raised with its line once that is on disk', () => {
    const fence = { token: 7, magics: [5, 7001], losses: 0, raisedAtMs: 1_000 };
    expect(ask(7, [7001, 5, 5])).toEqual([
      {
        ...{ type: 'append', write: 1, key: null, kind: 'fences', changes: [{ put: 'fence', name: 'trend', fence }] },
        events: [{ event: 'fence_raised', ...cause, fence: 'trend', fence_token: 7, fence_magics: [5, 7001] }],
      },
    ]);
    expect(shown()).toBeNull();
    rig.endWrite(true);
    expect(shown()).toEqual({ strategy: 'trend', token: 7, magics: [5, 7001], state: 'raised', raisedAtMs: 1_000 });
  });

  it('stays as it was if its raise cannot be written, and can be raised again', () => {
    raise(7);
    expect(ask(8)).toMatchObject([{ type: 'append', write: 2 }]);
    expect(ask(9)).toEqual([{ type: 'wait', write: 2 }]);
    rig.endWrite(false);
    expect(shown()).toMatchObject({ token: 7 });
    expect(ask(8)).toMatchObject([{ type: 'append', write: 3 }]);
  });

  it('is the same with its own token and no further magic numbers', () => {
    raise(7, [1, 2]);
    expect([ask(7, [1, 2]), ask(7, [2]), ask(7)]).toEqual([[], [], []]);
    expect(ask(7, [2, 3, 4])).toEqual([{ type: 'refuse fence', raise: { kind: 'other_magics', magics: [3, 4] } }]);
    expect(ask(6)).toEqual([{ type: 'refuse fence', raise: { kind: 'conflict', stored: 7, seen: null } }]);
  });

  it('keeps its magic numbers, and takes those of others', () => {
    raise(1, [1, 2], 'other');
    raise(1, [9], 'third');
    raise(7, [10]);
    expect(ask(8, [2, 3])).toMatchObject([
      {
        changes: [
          { name: 'trend', fence: { token: 8 } },
          { name: 'other', fence: { token: 1, raisedAtMs: 1_000 } },
        ],
      },
    ]);
    rig.endWrite(true);
    expect(['trend', 'other', 'third'].map(magicsOf)).toEqual([[2, 3, 10], [1], [9]]);
  });

  it('is held after a loss of the journal, until a token is above all that were issued before', () => {
    raise(7, [1]);
    losses = { count: 1, lastAtMs: 5_000_000 };
    expect(shown()).toMatchObject({ state: 'held', token: 5_000_000 });
    losses = { count: 1, lastAtMs: 10 };
    expect(shown()).toMatchObject({ state: 'held', token: 1_000_007 });
    expect(send(trend(7), [1])).toEqual([{ type: 'fence off', problem: { kind: 'held', stored: 1_000_007 } }]);
    expect(ask(1_000_007)).toMatchObject([{ raise: { kind: 'conflict', stored: 1_000_007, seen: null } }]);
    raise(1_000_008);
    expect(shown()).toMatchObject({ state: 'raised', token: 1_000_008, magics: [1] });
  });

  it('of a name that a lost journal may have had is written as seen, and refused', () => {
    losses = { count: 2, lastAtMs: 10 };
    const seen = { token: 3, magics: [], losses: null, raisedAtMs: null };
    expect(ask(3, [1])).toMatchObject([
      { type: 'append', kind: 'fences', changes: [{ put: 'fence', name: 'trend', fence: seen }], events: [] },
      { type: 'refuse fence', raise: { kind: 'conflict', stored: 1_000_003, seen } },
    ]);
    rig.endWrite(true);
    expect(shown()).toEqual({ strategy: 'trend', token: 1_000_003, magics: [], state: 'held', raisedAtMs: null });
  });

  it('lets only requests with its token pass', () => {
    expect(send(trend(7), [])).toEqual([{ type: 'fence off', problem: { kind: 'not_raised', stored: null } }]);
    raise(7);
    expect(send(trend(6), [])).toEqual([{ type: 'fence off', problem: { kind: 'lower', stored: 7 } }]);
    expect(send(trend(8), [])).toEqual([{ type: 'fence off', problem: { kind: 'not_raised', stored: 7 } }]);
    expect([send(trend(7), []), send(null, [])]).toEqual([[], []]);
  });

  it('lets no other request use its magic numbers', () => {
    raise(7, [1]);
    raise(7, [2], 'other');
    const magic = (one: number, owner: string, certainty: string) => [
      { type: 'fence off', problem: { kind: 'magic', magic: one, owner, certainty } },
    ];
    expect(send(null, [1])).toEqual(magic(1, 'trend', 'certain'));
    expect(send(null, [5, 6, 2])).toEqual(magic(2, 'other', 'possible'));
    expect(send(trend(7), [2])).toEqual(magic(2, 'other', 'certain'));
    expect(send(trend(7), [1, 2])).toEqual(magic(2, 'other', 'possible'));
    expect([send(trend(7), [1]), send(trend(7), [5]), send(null, [5])]).toEqual([[], [], []]);
  });

  it('does not ask for a magic number that is not known yet', () => {
    raise(7, [0, 1]);
    expect(fenceProblem(rig.core.state, null, null, none)).toBeNull();
    expect(fenceProblem(rig.core.state, trend(6), null, none)).toEqual({ kind: 'lower', stored: 7 });
    // A send without any counts as one of magic number 0.
    expect(send(null, [])).toMatchObject([{ problem: { kind: 'magic', magic: 0 } }]);
  });

  it('has the sends wait that its raise concerns, and no others', () => {
    raise(7, [1]);
    raise(1, [2], 'other');
    ask(8, [2]);
    const waits = [{ type: 'wait', write: 3 }];
    expect([send(trend(7), [5]), send(null, [2]), send(null, [5, 1])]).toEqual([waits, waits, waits]);
    expect([send(null, [5]), send(null, [])]).toEqual([[], []]);
    rig.endWrite(true);
    expect(send(trend(8), [2])).toEqual([]);
  });

  it('counts the sends that it would refuse now, until their outcome is on record', () => {
    const outdated = () => outdatedSends(rig.core.state, 'trend');
    send(null, [5], 'foreign');
    expect(outdated()).toBe(0);
    raise(7, [1]);
    raise(7, [], 'other');
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    send(trend(7), [1], 'id1/0');
    send({ name: 'other', token: 7 }, [6, 8], 'of another fence');
    expect(outdated()).toBe(0);
    raise(8, [8]);
    expect(outdated()).toBe(2);
    rig.settle('a', 'rejected');
    expect(outdated()).toBe(2);
    rig.endWrite(true);
    expect(outdated()).toBe(1);
  });

  it('is not outdated by a send that it refused', () => {
    raise(7);
    send(trend(6), []);
    expect(rig.core.state.sending.size).toBe(0);
  });

  it('is known from the journal at its start', () => {
    const fence: StoredFence = { token: 7, magics: [1], losses: 0, raisedAtMs: 5 };
    rig.deliver({ type: 'opened', refused: [], fences: [['trend', fence]] });
    expect(shown()).toMatchObject({ token: 7, magics: [1], state: 'raised', raisedAtMs: 5 });
  });

  it('is held if only the audit log has it, at once and on disk', () => {
    raise(7, [1, 2]);
    raise(4, [6], 'newer');
    const found = (token: number, magics: readonly number[]) => ({ token, magics });
    const effects = rig.deliver({
      type: 'fences found',
      fences: [
        ['trend', found(7, [1, 3])],
        ['newer', found(5, [6, 7])],
        ['lost', found(2, [1, 8])],
      ],
    });
    const missing = { losses: null, raisedAtMs: null };
    expect(effects).toMatchObject([
      {
        ...{ type: 'append', kind: 'fences', events: [] },
        changes: [
          { put: 'fence', name: 'newer', fence: { token: 5, magics: [6, 7], ...missing } },
          { put: 'fence', name: 'lost', fence: { token: 2, magics: [8], ...missing } },
        ],
      },
    ]);
    expect([shown('newer'), shown('lost'), shown()]).toMatchObject([
      { state: 'held', magics: [6, 7] },
      { state: 'held', magics: [8] },
      { state: 'raised', magics: [1, 2] },
    ]);
    const [raised] = ask(9);
    rig.endWrite(false);
    expect([ask(10), raised]).toMatchObject([[{ type: 'wait' }], { type: 'append' }]);
    expect(shown('lost')).toMatchObject({ token: 1_000_002 });
    rig.endWrite(true);
    expect(shown()).toMatchObject({ token: 9 });
    expect(rig.deliver({ type: 'fences found', fences: [['trend', found(1, [])]] })).toEqual([]);
  });
});
