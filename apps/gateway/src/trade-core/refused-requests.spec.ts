import type { TradeIdentity } from './journal-records';
import { hashOfKey, unknownFingerprint } from './known-key';
import { CoreRig, identityOf, responseTtlMs } from './testing/core-rig';

const nothing = { record: null, memory: null };

describe('a request that is refused before its send', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
  });

  const refuse = (identity: TradeIdentity) =>
    rig.deliver({ type: 'refused', identity, stored: rig.disk.keyOf(identity.clientOrderId ?? '') });
  const conflict = { type: 'refuse', refusal: 'conflict', first: { route: 'POST /order', createdAtMs: 1_000 } };

  it('binds its key to its parameters, and is checked again with them', () => {
    expect(refuse(identityOf('a', 'f'))).toMatchObject([
      { type: 'append', key: null, kind: 'refusals', changes: [{ put: 'refusal' }], events: [] },
    ]);
    expect(rig.request('a', 'g')).toEqual([conflict]);
    expect(rig.request('a', 'f')).toEqual([{ type: 'begin', key: 'a' }]);
  });

  it('binds its key until the answer would expire', () => {
    refuse(identityOf('a', 'f'));
    rig.nowMs = responseTtlMs - 1;
    expect(rig.request('a', 'g')).toEqual([conflict]);
    expect(rig.request('a', 'g')).toEqual([{ type: 'begin', key: 'a' }]);
  });

  it('binds no key that is used, and none without a key', () => {
    rig.request('a', 'f');
    expect(refuse(identityOf('a', 'g'))).toEqual([]);
    expect(refuse({ ...identityOf('a', 'f'), clientOrderId: null })).toEqual([]);
    rig.release('a');
    rig.calm();
    expect(rig.request('a', 'f')).toEqual([{ type: 'begin', key: 'a' }]);
  });

  it('binds its key also if its handler ends with the refusal', () => {
    rig.request('a', 'f');
    rig.release('a');
    expect(rig.request('a', 'g')).toEqual([{ ...conflict, first: { route: 'POST /order', createdAtMs: 1_001 } }]);
    const body = { identity: { ...identityOf('a', 'f'), clientOrderId: null }, id: 'n', isFenced: false };
    rig.calm();
    rig.deliver({ type: 'requested', ...body, stored: nothing });
    rig.release('§n');
    expect([rig.writes, rig.core.state.requests.size]).toEqual([[], 0]);
  });

  it('has its binding after a restart', () => {
    refuse(identityOf('a', 'f'));
    const change = rig.writes[0]?.changes[0];
    if (!change || !('binding' in change)) throw new Error('no binding was written');
    const next = new CoreRig();
    next.deliver({ type: 'opened', refused: [[change.hash, change.binding]], fences: [] });
    expect(next.request('a', 'g')).toEqual([conflict]);
  });

  it('is written with those that were refused while another write was in flight', () => {
    refuse(identityOf('a', 'f'));
    expect(refuse(identityOf('b', 'f'))).toEqual([]);
    expect(refuse(identityOf('c', 'f'))).toEqual([]);
    rig.endWrite(true);
    const hashes = rig.writes.map(({ changes }) => changes.map((change) => ('hash' in change ? change.hash : '')));
    expect(hashes).toEqual([['b', 'c'].map((key) => hashOfKey(key).toString('hex'))]);
    rig.endWrite(false);
    expect([rig.writes, rig.core.state.writes.size]).toEqual([[], 0]);
    expect(refuse(identityOf('d', 'f'))).toMatchObject([{ type: 'append' }]);
  });

  it('is refused by its fence, unless an answer is known', () => {
    const first = { route: null, createdAtMs: null };
    expect(rig.request('a', 'f', true)).toEqual([{ type: 'refuse', refusal: 'fenced', first }]);
    rig.request('a', 'f');
    rig.answer('a', 422);
    rig.calm();
    expect(rig.request('a', 'f', true)).toMatchObject([{ type: 'answer', known: { record: { status: 'completed' } } }]);
  });

  it('names the first use of its key where that has other parameters', () => {
    rig.request('a', 'f');
    expect(rig.request('a', 'g')).toEqual([conflict]);
    const inProgress = { type: 'refuse', refusal: 'in_progress', first: { route: 'POST /order', createdAtMs: 1_000 } };
    expect(rig.request('a', 'f')).toEqual([inProgress]);
  });
});

describe('a close whose parameters are not known', () => {
  const close = 'POST /close_position';
  const identity = { ...identityOf('a', ''), route: close, path: '/close_position', fingerprint: unknownFingerprint };
  const record = { id: 'old', key: 'a', createdAtMs: 5, settledAtMs: null, responseStatus: 502, response: '{}' };

  function ask(changed: Partial<TradeIdentity & { status: 'unknown' | 'completed' }>, route: string): unknown {
    const rig = new CoreRig();
    const found = { ...record, ...identity, status: 'unknown', ...changed } as const;
    rig.deliver({ type: 'found', record: found, intents: [], isWritten: true });
    const asked = { ...identity, method: 'PUT', path: '/asked', route, fingerprint: found.fingerprint };
    rig.deliver({ type: 'requested', identity: asked, id: 'new', isFenced: false, stored: nothing });
    const { method, path, route: after } = rig.core.state.requests.get('a')?.record ?? {};
    return { method, path, route: after };
  }
  const stays = { method: 'POST', path: '/close_position', route: close };

  it.each(['POST /position_close_partial', 'POST /close_all_positions', close])(
    'is the %s that is asked for, until its outcome is known',
    (route) => {
      expect(ask({}, route)).toEqual({ method: 'PUT', path: '/asked', route });
      expect(ask({ status: 'completed' }, route)).toEqual(stays);
      expect(ask({ fingerprint: 'f'.repeat(16) }, route)).toEqual(stays);
    },
  );

  it('is no request of another kind', () => {
    expect(ask({}, 'POST /order')).toEqual(stays);
    expect(ask({ route: 'POST /order' }, close)).toEqual({ ...stays, route: 'POST /order' });
  });
});
