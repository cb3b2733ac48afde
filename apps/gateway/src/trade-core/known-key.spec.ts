import type { TradeRequestRecord } from './journal-records';
import { accountOf, type StoredKey } from './known-key';
import { unknownFingerprint, type RememberedKey } from './remembered-key';
import { retentionMs } from './retention-times';
import { CoreRig, responseTtlMs } from './testing/core-rig';

const endedMs = 1_000;
const record: TradeRequestRecord = {
  ...{ clientOrderId: 'a', requestId: 'r', method: 'POST', path: '/order', route: 'POST /order' },
  ...{ fingerprint: 'f'.padEnd(16, '0'), id: 'old', key: 'a', login: 7, status: 'completed' },
  ...{ createdAtMs: 5, settledAtMs: 6, settledAtRunningMs: endedMs, responseStatus: 200, response: '{}' },
};
const memory: RememberedKey = {
  ...{ status: 'completed', route: 'POST /order', responseStatus: 200, ticket: 3, fingerprint: record.fingerprint },
  ...{ login: 7, createdAtMs: 5, endedAtRunningMs: endedMs },
};
const nothing: StoredKey = { record: null, memory: null };

describe('what is known of a key', () => {
  const known = (stored: StoredKey, runningMs: number) => new CoreRig().core.known('a', stored, runningMs);

  it('is its answer until that expires, and its summary after that', () => {
    const stored = { record, memory };
    expect(known(stored, endedMs + responseTtlMs - 1)).toEqual({ kind: 'request', record });
    expect(known(stored, endedMs + responseTtlMs)).toEqual({ kind: 'remembered', entry: memory });
  });

  it('is its answer without an end, if an earlier version did not record that', () => {
    const { settledAtRunningMs: _, ...earlier } = record;
    expect(known({ record: earlier, memory: null }, 1e12)).toEqual({ kind: 'request', record: earlier });
  });

  it('is nothing after a hundred days, or without a use', () => {
    const last = endedMs + retentionMs.key;
    expect(known({ record: null, memory }, last)).toMatchObject({ kind: 'remembered' });
    expect(known({ record, memory }, last + 1)).toBeUndefined();
    expect(known(nothing, 0)).toBeUndefined();
  });

  it('is its void, also while a request that cannot send has it', () => {
    const rig = new CoreRig();
    const entry: RememberedKey = { ...memory, status: 'void' };
    rig.request('a', 'f');
    expect(rig.core.known('a', { record, memory }, endedMs)).toMatchObject({ kind: 'request', record: { id: 'id1' } });
    expect(rig.core.known('a', { record, memory: entry }, endedMs)).toEqual({ kind: 'remembered', entry });
  });

  it('has the account of the request, if that is known', () => {
    const { login: _, ...earlier } = record;
    expect(accountOf({ kind: 'request', record })).toBe(7);
    expect(accountOf({ kind: 'request', record: earlier })).toBeNull();
    expect(accountOf({ kind: 'remembered', entry: { ...memory, login: 8 } })).toBe(8);
    expect(accountOf({ kind: 'remembered', entry: { ...memory, login: null } })).toBeNull();
  });
});

describe('a request under a used key', () => {
  const fingerprint = '0123456789abcdef0123';
  const asked = { ...record, fingerprint, requestId: 'new' };

  /** The effect for a request, and the first use that a refusal names. */
  function request(stored: Partial<StoredKey>): unknown {
    const rig = new CoreRig();
    const body = { identity: asked, id: 'new', isFenced: false, stored: { ...nothing, ...stored } };
    return rig.deliver({ type: 'requested', ...body })[0];
  }
  const conflict = { type: 'refuse', refusal: 'conflict', first: { route: 'POST /order', createdAtMs: 5 } };

  it.each([
    ['the same parameters', fingerprint],
    ['the part of them that is kept', '0123456789abcdef'],
    ['parameters that are no longer known', unknownFingerprint],
  ])('is answered if the key has %s', (_case, kept) => {
    expect(request({ memory: { ...memory, fingerprint: kept } })).toMatchObject({
      type: 'answer',
      known: { kind: 'remembered', entry: { ticket: 3 } },
    });
    expect(request({ record: { ...record, fingerprint: kept } })).toMatchObject({
      type: 'answer',
      known: { kind: 'request', record: { id: 'old' } },
    });
  });

  it('is a conflict if the key has other parameters', () => {
    expect(request({ memory })).toEqual(conflict);
    expect(request({ record })).toEqual(conflict);
  });

  it('is a conflict if the key has another route, where the parameters are no longer known', () => {
    const route = 'POST /close_position';
    const used = { ...memory, fingerprint: unknownFingerprint };
    expect(request({ memory: { ...used, route } })).toEqual({ ...conflict, first: { route, createdAtMs: 5 } });
    expect(request({ memory: { ...used, route: null } })).toMatchObject({ type: 'answer' });
  });

  it('is refused if the key is void, and its first use may be unknown', () => {
    const entry: RememberedKey = { ...memory, status: 'void', route: null, createdAtMs: null };
    const first = { route: null, createdAtMs: null };
    expect(request({ memory: entry })).toEqual({ type: 'refuse', refusal: 'key_void', first });
  });

  it('waits while the key is being made void, and begins if that fails', () => {
    const rig = new CoreRig();
    rig.makeVoid('a');
    expect(rig.request('a', 'f')).toEqual([
      { type: 'refuse', refusal: 'in_progress', first: { route: null, createdAtMs: null } },
    ]);
    rig.endWrite(false);
    expect(rig.request('a', 'f')).toEqual([{ type: 'begin', key: 'a' }]);
  });

  it('waits for the void of a request that is running, whatever its parameters are', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.makeVoid('a');
    expect(rig.request('a', 'g')).toMatchObject([{ type: 'refuse', refusal: 'in_progress' }]);
  });

  it('begins if the key is not known', () => {
    expect(request({})).toEqual({ type: 'begin', key: 'a' });
  });
});
