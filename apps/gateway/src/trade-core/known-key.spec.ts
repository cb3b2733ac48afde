import { Retcode, tradeRequest, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { IntentRecord, TradeRequestRecord } from './journal-records';
import {
  accountOf,
  decodeRememberedKey,
  encodeRememberedKey,
  hashOfKey,
  isForgotten,
  rememberedOf,
  retentionMs,
  shortFingerprint,
  unknownFingerprint,
  type RememberedKey,
  type StoredKey,
} from './known-key';
import { CoreRig, responseTtlMs } from './testing/core-rig';

const oneDayMs = 86_400_000;
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

const minuteMs = 60_000;
const written: RememberedKey = {
  status: 'completed',
  route: 'POST /order',
  responseStatus: 200,
  ticket: 123_456_789_012,
  fingerprint: '0123456789abcdef',
  login: 100_001,
  createdAtMs: 1_764_000_000_000,
  endedAtRunningMs: 42 * minuteMs,
};

const loginOf = (account: number): number | null => (account === 0 ? null : 100_000 + account);

function readBack(changed: Partial<RememberedKey>, account = 1): RememberedKey {
  return decodeRememberedKey(encodeRememberedKey({ ...written, ...changed }, account), loginOf);
}

describe('the summary of a used key', () => {
  it('is read as it was written', () => {
    expect(readBack({})).toEqual(written);
  });

  it('has its bytes where every version has them', () => {
    const bytes = encodeRememberedKey(written, 3);
    expect(bytes).toHaveLength(28);
    expect(bytes.readUInt8(0)).toBe(0);
    expect(bytes.readUInt8(1)).toBe(1 + 16 * 3);
    expect(bytes.readUInt16LE(2)).toBe(200);
    expect(bytes.readDoubleLE(4)).toBe(123_456_789_012);
    expect(bytes.toString('hex', 12, 20)).toBe('0123456789abcdef');
    expect(bytes.readUInt32LE(20)).toBe(1_764_000_000);
    expect(bytes.readUInt32LE(24)).toBe(42);
  });

  it.each(['completed', 'recovered', 'absent', 'void', 'accepted'] as const)('can be %s', (status) => {
    expect(readBack({ status })).toMatchObject({ status });
  });

  it.each([
    'POST /order',
    'PUT /orders/:ticket',
    'DELETE /orders/:ticket',
    'POST /modify_sl_tp',
    'POST /close_position',
    'POST /position_close_partial',
    'POST /close_all_positions',
    'PUT /trade_requests/:key/void',
  ])('can be of %s, for each account that the journal has a number for', (route) => {
    expect(readBack({ route }, 1)).toMatchObject({ route, login: 100_001 });
    expect(readBack({ route }, 15)).toMatchObject({ route, login: 100_015 });
    expect(readBack({ route }, 0)).toMatchObject({ route, login: null });
  });

  it('does not name a route of another version', () => {
    expect(readBack({ route: 'POST /of_another_version' })).toMatchObject({ route: null, login: 100_001 });
    expect(readBack({ route: null })).toMatchObject({ route: null });
  });

  it('has no ticket and no time of its first use if they are not known', () => {
    expect(readBack({ ticket: null, createdAtMs: null })).toEqual({ ...written, ticket: null, createdAtMs: null });
  });

  it('has its first use in whole seconds, and never ends before it ended', () => {
    expect(readBack({ createdAtMs: 1_999 }).createdAtMs).toBe(1_000);
    expect(readBack({ endedAtRunningMs: minuteMs + 1 }).endedAtRunningMs).toBe(2 * minuteMs);
  });

  it('has the nearest time that its bytes can hold', () => {
    const most = 0xffff_ffff;
    expect(readBack({ endedAtRunningMs: (most + 1) * minuteMs }).endedAtRunningMs).toBe(most * minuteMs);
    expect(readBack({ endedAtRunningMs: -minuteMs, createdAtMs: -1 })).toMatchObject({
      endedAtRunningMs: 0,
      createdAtMs: null,
    });
  });

  it.each([
    ['of an unknown status', Buffer.alloc(28, 5)],
    ['that is too short', encodeRememberedKey(written, 1).subarray(0, 27)],
    ['that is too long', Buffer.concat([encodeRememberedKey(written, 1), Buffer.alloc(1)])],
  ])('is not read from an entry %s', (_case, bytes) => {
    expect(() => decodeRememberedKey(bytes, loginOf)).toThrow('the table of keys has an invalid entry');
  });

  it('is found by the first 16 bytes of the SHA-256 of its key', () => {
    expect(hashOfKey('k').toString('hex')).toBe('8254c329a92850f6d539dd376f4816ee');
  });

  it('keeps the first 16 digits of a fingerprint', () => {
    expect(shortFingerprint('0123456789abcdef0123')).toBe('0123456789abcdef');
    expect(shortFingerprint('abc')).toBe('abc0000000000000');
  });
});

const settled: TradeRequestRecord = {
  ...{ clientOrderId: 'k', requestId: 'r', method: 'POST', path: '/order', route: 'POST /order' },
  ...{ fingerprint: '0123456789abcdef0123', id: 'id', key: 'k', login: 7 },
  ...{ status: 'completed', createdAtMs: 5_000, settledAtMs: 6_000, responseStatus: 200, response: '{}' },
};

function send(request: Partial<TradeRequest>, order: number | null): IntentRecord {
  const answer = { retcode: Retcode.DONE, deal: 0, volume: 0, price: 0, bid: 0, ask: 0, comment: '' };
  const intent = { key: 'k', serverTimeMsc: 1, positionId: 0, positionVolume: 0, createdAtMs: 1 } as const;
  const result = { ...answer, request_id: 1, retcode_external: 0, order: order ?? 0 };
  return {
    ...intent,
    id: `id/${order}`,
    purpose: 'open',
    request: tradeRequest({ action: TradeAction.DEAL, ...request }),
    outcome: order === null ? { kind: 'absent' } : { kind: 'done', result, source: 'answer' },
  };
}

describe('the summary of a settled request', () => {
  it('has what a repeated request is compared and answered with', () => {
    expect(rememberedOf(settled, [send({}, 11)], 90_000)).toEqual({
      ...{ status: 'completed', route: 'POST /order', responseStatus: 200, ticket: 11 },
      ...{ fingerprint: '0123456789abcdef', login: 7, createdAtMs: 5_000, endedAtRunningMs: 90_000 },
    });
  });

  it('has no account and no HTTP status if they are not known', () => {
    const { login: _, ...earlier } = settled;
    expect(rememberedOf({ ...earlier, responseStatus: null }, [], 0)).toMatchObject({ login: null, responseStatus: 0 });
  });

  it.each([
    ['the order that was made', [send({ order: 12, position: 13 }, 11)], 11],
    ['the order that was named, if the broker names none', [send({ order: 12, position: 13 }, 0)], 12],
    ['the position that was named, if there is no order', [send({ position: 13 }, 0)], 13],
    ['no ticket, if nothing was named', [send({}, 0)], null],
    ['no ticket, if nothing was done', [send({ order: 12 }, null)], null],
    ['no ticket, if several things were done', [send({}, 11), send({}, 12)], null],
    ['the ticket of the only thing that was done', [send({}, null), send({}, 12)], 12],
  ])('has %s', (_case, intents, ticket) => {
    expect(rememberedOf(settled, intents, 0).ticket).toBe(ticket);
  });

  it.each(['in_progress', 'unknown'] as const)('does not exist while the request is %s', (status) => {
    expect(() => rememberedOf({ ...settled, status }, [], 0)).toThrow('request id is not settled');
  });
});

describe('retention', () => {
  it('keeps sends for 35 days and keys for 100 days of running time', () => {
    expect(retentionMs).toEqual({ intent: 35 * oneDayMs, key: 100 * oneDayMs });
  });

  it('forgets a key only after its last day', () => {
    expect(isForgotten(1, 1 + 100 * oneDayMs)).toBe(false);
    expect(isForgotten(1, 2 + 100 * oneDayMs)).toBe(true);
  });
});
