import type { StoredAnswer } from './core-event';
import type { SettledOutcome } from './journal-records';
import { CoreRig } from './testing/core-rig';

const event = { event: 'broker_response' } as const;
const absent: SettledOutcome = { kind: 'absent' };
const undecidable: SettledOutcome = {
  ...{ kind: 'unknown', reason: 'r', result: null, lastError: null, undecidable: true },
};
const response: StoredAnswer = { status: 200, body: '{"again":true}' };

describe('the end of a request', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
    rig.request('a', 'f');
  });

  function send(purpose: 'open' | 'close' = 'open'): void {
    rig.intend('a', purpose);
    rig.endWrite(true);
  }
  const settled = (outcome: SettledOutcome, isAnswered = false, intentId = 'id1/0', key = 'a') =>
    rig.deliver({ type: 'settled', key, intentId, outcome, event, isAnswered, claims: [] });
  const resolved = (status: 'recovered' | 'absent' | 'unknown' | 'accepted') =>
    rig.deliver({ type: 'resolved', key: 'a', status, response, events: [event] });
  const record = () => rig.core.state.requests.get('a')?.record ?? rig.disk.requests.get('a');

  it('needs a request, and a send that was written', () => {
    expect(() => settled(absent, false, 'id1/0', 'b')).toThrow('no request b');
    expect(() => settled(absent)).toThrow('no intent id1/0');
    const answer = { key: 'a', id: 'of another one', response };
    expect(() => rig.deliver({ type: 'answered', ...answer })).toThrow('no request a');
  });

  it('has the line of an outcome, which is written at once or with the answer that follows', () => {
    send();
    expect(settled(absent, true)).toEqual([]);
    rig.answer('a', 422);
    const rows = { type: 'append', key: 'a', kind: 'rows' };
    expect(rig.writes).toMatchObject([{ ...rows, events: [] }]);
    expect(rig.writes[0]?.changes.map((change) => ('put' in change ? change.put : change.remove))).toEqual([
      'request',
      'open',
      'lifetime',
      'key',
      'intent',
      'evidence',
      'lifetime',
    ]);
    rig = new CoreRig();
    rig.request('a', 'f');
    send();
    expect(settled(absent)).toMatchObject([{ ...rows, events: [event] }]);
  });

  it('has no line for an outcome that needs none', () => {
    send();
    const body = { key: 'a', intentId: 'id1/0', outcome: absent, event: null, isAnswered: false, claims: [] };
    expect(rig.deliver({ type: 'settled', ...body })).toMatchObject([{ type: 'append', events: [] }]);
  });

  it('writes of two outcomes only what changed', () => {
    send();
    rig.intend('a', 'open');
    rig.endWrite(true);
    settled(absent);
    settled(absent, false, 'id1/1');
    const ids = rig.writes.map(({ changes }) => changes.map((change) => ('intent' in change ? change.intent.id : '')));
    expect(ids).toEqual([
      ['id1/0', '', ''],
      ['id1/1', '', ''],
    ]);
  });

  it('does not write again what another write has brought to disk', () => {
    send();
    settled(absent);
    rig.answer('a', 422);
    rig.endWrite(true);
    rig.endWrite(false);
    rig.deliver({ type: 'disk tried' });
    expect(rig.writes.flatMap(({ changes }) => changes).map((change) => ('put' in change ? change.put : ''))).toEqual([
      'request',
      '',
      'lifetime',
      'key',
    ]);
  });

  it('ignores a second outcome, and says which stands', () => {
    send();
    settled(absent);
    const intent = rig.core.state.requests.get('a')?.intents.get('id1/0');
    expect(settled({ kind: 'rejected', result: null, lastError: null })).toEqual([
      { type: 'ignore', intent, outcome: { kind: 'rejected', result: null, lastError: null } },
    ]);
    expect(intent).toMatchObject({ outcome: absent });
    rig.calm();
    expect(rig.disk.intents.get('id1/0')).toMatchObject({ outcome: absent });
  });

  it('shows each outcome once, with the write that has it', () => {
    send();
    settled(absent);
    rig.endWrite(true);
    rig.answer('a', 422);
    rig.endWrite(true);
    expect(rig.shown).toHaveLength(1);
    expect(rig.core.state.requests.size).toBe(0);
  });

  it('is its answer, with its times', () => {
    send();
    settled(absent);
    rig.answer('a', 422);
    const times = { settledAtMs: 999 + rig.nowMs, settledAtRunningMs: rig.nowMs };
    expect(record()).toMatchObject({ status: 'completed', responseStatus: 422, response: '{}', ...times });
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'in_progress' }]);
    rig.calm();
    expect(rig.request('a', 'f')).toEqual([{ type: 'answer', known: { kind: 'request', record: record() } }]);
  });

  it('is not shown before it is on disk, not even in the record', () => {
    send();
    settled(absent);
    rig.answer('a', 422);
    const shown = () => rig.core.known('a', { record: null, memory: null }, 0);
    const open = { status: 'in_progress', settledAtMs: null, responseStatus: null, response: null };
    expect(shown()).toMatchObject({ kind: 'request', record: open });
    expect(shown()).not.toHaveProperty('record.settledAtRunningMs');
    rig.endWrite(true);
    expect(shown()).toMatchObject({ record: open });
    rig.endWrite(false);
    expect(shown()).toMatchObject({ record: { status: 'completed', responseStatus: 422 } });
  });

  it('is answered only once', () => {
    send();
    settled(absent);
    rig.answer('a', 422);
    const again = { key: 'a', id: 'id1', response };
    expect(rig.deliver({ type: 'answered', ...again })).toEqual([
      { type: 'refuse', refusal: 'impossible', first: record() },
    ]);
    expect(record()).toMatchObject({ response: '{}' });
  });

  it('has no time while an outcome is unknown, and keeps its time when a later find adds to it', () => {
    send();
    rig.answer('a', 502);
    expect(record()).toMatchObject({ status: 'unknown', settledAtMs: null, responseStatus: 502 });
    expect(record()).not.toHaveProperty('settledAtRunningMs');
    rig.calm();
    rig.settle('a', 'done');
    expect(resolved('recovered')).toMatchObject([{ type: 'append', events: [event] }]);
    const times = { settledAtMs: 999 + rig.nowMs, settledAtRunningMs: rig.nowMs };
    expect(record()).toMatchObject({ status: 'recovered', ...times, responseStatus: 200, response: response.body });
    resolved('recovered');
    expect(record()).toMatchObject(times);
    rig.calm();
    expect(rig.core.state.requests.size).toBe(0);
  });

  it('is unknown if its answer is, whatever its sends are', () => {
    rig.answer('a', 502);
    expect(record()).toMatchObject({ status: 'unknown', responseStatus: 502 });
  });

  it('is not accepted as unknown while its outcome is looked up', () => {
    send();
    rig.settle('a', 'unknown');
    rig.answer('a', 502);
    rig.calm();
    expect(resolved('accepted')).toMatchObject([{ type: 'refuse', refusal: 'impossible' }]);
  });

  it('stays in memory until each of its writes has ended, so that its order is shown', () => {
    send();
    rig.answer('a', 502);
    rig.calm();
    rig.settle('a', 'done');
    resolved('recovered');
    const [outcome] = rig.writes.splice(0, 1);
    rig.endWrite(true);
    expect([rig.core.state.requests.size, rig.core.state.claims.get(1)?.isShown]).toEqual([1, false]);
    if (outcome) rig.writes.push(outcome);
    rig.endWrite(true);
    expect([rig.core.state.requests.size, rig.core.state.claims.size]).toEqual([0, 0]);
  });

  it('is not found while an outcome is open, and not another one than was found', () => {
    send();
    rig.answer('a', 502);
    rig.calm();
    const impossible = { type: 'refuse', refusal: 'impossible', first: record() };
    expect([resolved('recovered'), resolved('absent'), resolved('accepted')]).toEqual([
      ...[[impossible], [impossible], [impossible]],
    ]);
    settled(absent);
    expect(resolved('recovered')).toEqual([impossible]);
    expect(resolved('absent')).toMatchObject([{ type: 'append' }]);
    expect(record()).toMatchObject({ status: 'absent' });
  });

  it('is given up, and accepted, once its outcome cannot be determined', () => {
    send();
    rig.answer('a', 502);
    rig.calm();
    expect(settled(undecidable)).toMatchObject([{ type: 'append' }]);
    expect(resolved('unknown')).toMatchObject([{ type: 'append', events: [event] }]);
    expect(record()).toMatchObject({ status: 'unknown', settledAtMs: null, response: response.body });
    expect(resolved('accepted')).toMatchObject([{ type: 'append', events: [event] }]);
    expect(record()).toMatchObject({ status: 'accepted', settledAtRunningMs: rig.nowMs });
  });

  it('is a release that removes what was written, and binds the key', () => {
    send();
    rig.settle('a', 'rejected');
    rig.endWrite(true);
    const release = { type: 'append', write: 3, key: 'a', kind: 'release', events: [] };
    const id = { id: 'a' };
    const changes = [
      { remove: 'request', ...id },
      { remove: 'open', ...id },
    ];
    expect(rig.deliver({ type: 'released', key: 'a', id: 'id1' })).toEqual([{ ...release, changes }]);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'in_progress' }]);
    rig.endWrite(true);
    expect([rig.disk.requests.size, rig.disk.open.size, rig.core.state.requests.size]).toEqual([0, 0, 0]);
    expect(rig.request('a', 'g')).toMatchObject([{ type: 'refuse', refusal: 'conflict' }]);
  });

  it('is no release if something may have been done', () => {
    send();
    expect(rig.deliver({ type: 'released', key: 'a', id: 'id1' })).toEqual([
      { type: 'refuse', refusal: 'may_be_done', first: record() },
    ]);
  });
});

describe('a send', () => {
  it('has the next number of its request, the moment, and the facts of its fence in its line', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.deliver({ type: 'account known', key: 'a', login: 9 });
    for (const n of [0, 1]) {
      rig.intend('a', 'close');
      const intent = { id: `id1/${n}`, key: 'a', createdAtMs: 999 + rig.nowMs, writtenAtRunningMs: rig.nowMs };
      expect(rig.writes.at(-1)?.changes[2]).toMatchObject({ put: 'intent', intent: { ...intent, purpose: 'close' } });
      expect(rig.writes.at(-1)?.events).toMatchObject([{ event: 'intent', intent_id: `id1/${n}`, login: 1 }]);
    }
    const request = rig.writes[0]?.changes[2];
    if (!request || !('intent' in request)) throw new Error('no intent was written');
    const intended = { key: 'a', id: 'id1', intent: request.intent, facts: { fence: 'f', fence_token: 3 } };
    rig.deliver({ type: 'intended', ...intended });
    expect(rig.writes.at(-1)?.events).toMatchObject([{ intent_id: 'id1/2', fence: 'f', fence_token: 3 }]);
  });

  it('has a running time that no other one has', () => {
    const rig = new CoreRig();
    for (const key of ['a', 'b', 'c']) rig.request(key, 'f');
    const written = (): unknown => {
      const change = rig.writes.at(-1)?.changes[2];
      return change && 'intent' in change ? change.intent.writtenAtRunningMs : null;
    };
    const times = ['a', 'b', 'c'].map((key) => {
      rig.nowMs = key === 'c' ? 100 : 50;
      rig.intend(key, 'open');
      return written();
    });
    expect(times).toEqual([51, 52, 101]);
  });

  it('binds its request to the account, unless that is known', () => {
    const rig = new CoreRig();
    const identity = { clientOrderId: 'a', requestId: 'r', method: 'POST', path: '/order', route: 'POST /order' };
    const asked = { identity: { ...identity, fingerprint: 'f' }, id: 'i', isFenced: false };
    rig.deliver({ type: 'requested', ...asked, stored: { record: null, memory: null } });
    for (const login of [9, 10]) rig.deliver({ type: 'account known', key: 'a', login });
    expect(rig.core.state.requests.get('a')?.record.login).toBe(9);
  });
});
