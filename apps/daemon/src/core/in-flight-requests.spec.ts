import { Decimal } from 'decimal.js';
import type { IntentRecord, OwnedTicket } from './records';
import {
  added,
  afterRead,
  brokersOf,
  countUnknown,
  handle,
  isLatest,
  isWanted,
  mayBeReplaced,
  noRequests,
  problemOf,
  requestOf,
  requestsAtStart,
  supersededExits,
  withFailedCloses,
} from './in-flight-requests';
import type { InFlightRequests } from './in-flight-requests';
import type { IntentEvent, IntentFacts } from './intent-life';
import { earlierIntent } from './intent-lifecycle';

const facts: IntentFacts = {
  ...{ nowMs: 0, monotonicMs: 0, isWanted: true, isStopping: false, hasGateway: true, journalId: 'A' },
  ...{ openVolume: '0.1', isSettled: true },
};
const close: IntentRecord = {
  ...{ key: 'k', strategy: 'ema', broker: 'demo', intentId: 'c1', stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position' }, isEntry: false, createdAtMs: 0, journalId: 'A' },
  ...{ state: 'open', outcome: null },
};
const newer: IntentRecord = { ...close, key: 'k2', intentId: 'c2' };
const entry: IntentRecord = { ...close, key: 'e', intentId: 'i1', ticket: null, isEntry: true };

const lifeOf = (record: IntentRecord) => earlierIntent(record, facts).life;
const inFlight = (...records: readonly IntentRecord[]) =>
  records.reduce((all, record) => added(all, lifeOf(record)), noRequests);
const keysOf = ({ requests }: InFlightRequests) => requests.map(({ record }) => record.key);
/** Delivers events to the request under a key; a retry follows under its own. */
function after(all: InFlightRequests, key: string, ...events: readonly IntentEvent[]): InFlightRequests {
  let [requests, current] = [all, key];
  for (const event of events) {
    const record = requestOf(requests, current)?.record;
    const isWanted = record !== undefined && isLatest(requests, record);
    const handled = handle(requests, current, event, { ...facts, isWanted });
    requests = handled.all;
    current = handled.step?.life.record.key ?? current;
  }
  return requests;
}
const held = (id: string): IntentEvent => ({ type: 'journal', journal: { id, state: 'ok' } });
const settled: IntentEvent = { type: 'settled', conclusion: { kind: 'absent', reason: 'by the operator' } };
const written: IntentEvent = { type: 'written', isDurable: true, order: null };
const seen: IntentEvent = { type: 'seen' };
const done: IntentEvent & { readonly type: 'settled' } = {
  ...{ type: 'settled', conclusion: { kind: 'done', status: 200, body: {}, replayed: true } },
};
const isOpen = () => true;
const owned: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [1] },
  ...{ volumeIn: '0.1', volumeOut: '0', working: false, closed: false },
};

describe('the in-flight requests of a strategy', () => {
  it('are plain data that survives a copy, with their version', () => {
    const requests = inFlight(close, entry);
    const copy = JSON.parse(JSON.stringify(requests)) as InFlightRequests;
    expect(copy).toEqual(requests);
    expect(copy.version).toBe(1);
    expect(keysOf(after(copy, 'e', held('B'), settled, written, seen))).toEqual(['k']);
  });

  it('are not superseded by an exit of an earlier lease, which is never wanted', () => {
    const earlier: IntentRecord = { ...newer, isOfEarlierLease: true };
    const all = inFlight(close, earlier);
    const of = { isHalted: false, isStopping: false, openVolume: new Decimal('0.1') };
    expect([isWanted(all, close, of), isWanted(all, earlier, of)]).toEqual([true, false]);
    // Also one of the intent that counts.
    expect(isWanted(all, { ...close, isOfEarlierLease: true }, of)).toBe(false);
  });

  it('of a cancellation are not superseded by a change of the same order', () => {
    const path = '/orders/7';
    const cancel: IntentRecord = { ...close, call: { method: 'DELETE', path } };
    const change: IntentRecord = { ...newer, call: { method: 'PUT', path, body: { price: 1.1 } } };
    const both = inFlight(cancel, change);
    expect([isLatest(both, cancel), isLatest(both, change)]).toEqual([true, true]);
  });

  it('are superseded by newer ones for the same ticket and kind of request, and only while these are in flight', () => {
    const both = inFlight(close, newer);
    expect([isLatest(both, close), isLatest(both, newer)]).toEqual([false, true]);
    const ended = after(both, 'k', held('B'), settled, written, seen);
    expect([keysOf(ended), isLatest(ended, newer)]).toEqual([['k2'], true]);
    const levels = { ...newer, call: { method: 'POST', path: '/modify_sl_tp' } } as const;
    expect(isLatest(inFlight(close, levels), close)).toBe(true);
    expect(isLatest(inFlight(close, { ...newer, broker: 'live' }), close)).toBe(true);
  });

  it('count as unknown while they are being resolved, but not while a retry waits or the operator has to settle them', () => {
    const one = inFlight(close);
    expect(countUnknown(one)).toBe(1);
    const isHeld = after(one, 'k', held('B'));
    expect(countUnknown(isHeld)).toBe(0);
    // Settled as not executed, the exit is tried again.
    const waiting = after(isHeld, 'k', settled, written, seen);
    expect([keysOf(waiting), countUnknown(waiting)]).toEqual([['k~1'], 0]);
    expect(countUnknown(after(waiting, 'k~1', { type: 'timer' }))).toBe(1);
  });

  it('have the problem of the first one that is held, until it is settled', () => {
    const both = after(after(inFlight(entry, newer), 'k2', held('B')), 'e', held('C'));
    expect(problemOf(both, isOpen)).toContain('request e on demo cannot be resolved: the gateway has another');
    const one = after(both, 'e', settled, written, seen);
    expect(problemOf(one, isOpen)).toContain('request k2 on demo');
    expect(requestOf(one, 'k2')).toMatchObject({ record: newer, stage: { request: { isHeld: true } } });
    expect(requestOf(one, 'other')).toBeNull();
    // What is no longer in flight is not held.
    expect(handle(noRequests, 'k', held('B'), facts)).toEqual({ all: noRequests, step: null });
  });

  it('have the problem of a close that failed while its position is open, until a close of it is done', () => {
    const rejected = { status: 422, errorType: 'broker_rejected', error: 'no', details: null, terminalError: null };
    const refused: IntentEvent = {
      ...{ type: 'settled', conclusion: { kind: 'rejected', retryable: false, ...rejected } },
    };
    const failed = after(inFlight(close), 'k', held('B'), refused, written, seen);
    expect(problemOf(failed, isOpen)).toBe('position 7 could not be closed: broker_rejected: no');
    expect(problemOf(failed, () => false)).toBeNull();
    expect(problemOf(after(added(failed, lifeOf(newer)), 'k2', held('B'), done, written, seen), isOpen)).toBeNull();
  });

  it('name their gateways, each once', () => {
    expect(brokersOf(inFlight(close, newer, { ...entry, broker: 'live' }))).toEqual(['demo', 'live']);
  });

  it('of entries are wanted while nothing is halted and nothing stops', () => {
    const of = { isHalted: false, isStopping: false, openVolume: null };
    const wanted = [of, { ...of, isHalted: true }, { ...of, isStopping: true }].map((at) =>
      isWanted(noRequests, entry, at),
    );
    expect(wanted).toEqual([true, false, false]);
  });

  it('may have replaced an order while the outcome of a change of it is not on record', () => {
    const change: IntentRecord = { ...close, call: { method: 'PUT', path: '/orders/7', body: { price: 1.1 } } };
    const sent = inFlight(change);
    const of = (all: InFlightRequests, broker = 'demo', ticket = 7) => mayBeReplaced(all, broker, ticket);
    expect([of(sent), of(sent, 'live'), of(sent, 'demo', 8), of(inFlight(close))]).toEqual([true, false, false, false]);
    const concluding = after(sent, 'k', held('B'), done);
    expect([of(concluding), of(after(sent, 'k', held('B'), settled))]).toEqual([true, false]);
    expect(of(after(concluding, 'k', written))).toBe(false);
  });
});

describe('closes that the account does not show yet', () => {
  const unread = (...events: readonly IntentEvent[]) =>
    after(inFlight(close), 'k', held('B'), done, written, ...events);

  it('are known from their end until the account of their gateway is read', () => {
    const all = unread({ type: 'seen', isRead: false });
    expect(all).toEqual({ ...noRequests, unreadCloses: [{ broker: 'demo', ticket: 7 }] });
    expect(unread({ type: 'seen', isRead: true })).toEqual(noRequests);
    expect(afterRead(all, 'live')).toEqual(all);
    expect(afterRead(all, 'demo')).toEqual(noRequests);
    expect(afterRead(noRequests, 'demo')).toBe(noRequests);
    const more = {
      ...all,
      unreadCloses: [
        { broker: 'live', ticket: 1 },
        { broker: 'demo', ticket: 7 },
      ],
    };
    expect(afterRead(more, 'demo').unreadCloses).toEqual([{ broker: 'live', ticket: 1 }]);
    // Other requests leave them as they are.
    expect(added(more, lifeOf(entry)).unreadCloses).toBe(more.unreadCloses);
  });

  it('do not include other requests', () => {
    const levels: IntentRecord = { ...close, call: { method: 'POST', path: '/modify_sl_tp', body: { position: 7 } } };
    const all = after(inFlight(levels), 'k', held('B'), done, written, { type: 'seen', isRead: false });
    expect(all.unreadCloses).toBeUndefined();
  });

  it('are known at a start by their tickets, as are those that failed', () => {
    const purpose = 'demo:7 POST /close_position';
    const failedCloses = [{ purpose, reason: 'no', atMs: 3 }];
    expect(requestsAtStart([owned, { ...owned, ticket: 8, closeUnread: true }])).toEqual({
      ...{ ...noRequests, unreadCloses: [{ broker: 'demo', ticket: 8 }] },
    });
    expect(requestsAtStart([{ ...owned, failedCloses }])).toEqual({
      ...{ ...noRequests, failedExits: [[purpose, { broker: 'demo', ticket: 7, reason: 'no', atMs: 3 }]] },
    });
  });
});

describe('the record of the closes that failed', () => {
  const purpose = 'demo:7 POST /close_position';
  const failing = (atMs: number, ticket = 7, broker = 'demo'): InFlightRequests => ({
    ...{ ...noRequests, failedExits: [[purpose, { broker, ticket, reason: 'no', atMs }]] },
  });
  const recorded = { ...owned, failedCloses: [{ purpose, reason: 'no', atMs: 3 }] };

  it('is made with the first and renewed with the next, and ends with the last', () => {
    expect(withFailedCloses(failing(3), owned)).toEqual(recorded);
    expect(withFailedCloses(failing(4), recorded)).toEqual({
      ...owned,
      failedCloses: [{ purpose, reason: 'no', atMs: 4 }],
    });
    expect(withFailedCloses(noRequests, recorded)).toEqual(owned);
  });

  it('stays as it is while it has the same, and is of its own ticket', () => {
    const same = [withFailedCloses(failing(3), recorded), withFailedCloses(noRequests, owned)];
    expect(same).toEqual([null, null]);
    expect([withFailedCloses(failing(3, 8), owned), withFailedCloses(failing(3, 7, 'live'), owned)]).toEqual([
      null,
      null,
    ]);
  });
});

describe('exits of an earlier start', () => {
  const at = (record: IntentRecord, createdAtMs: number): IntentRecord => ({ ...record, createdAtMs });

  it('are superseded by a newer one for the same purpose, whether or not that has ended', () => {
    const of = (open: readonly IntentRecord[], ...ended: readonly IntentRecord[]) =>
      supersededExits(open, [...open, ...ended]);
    expect(of([at(close, 1)], at(newer, 2))).toEqual(['k']);
    expect(of([at(close, 1), at(newer, 2)], at({ ...newer, key: 'k3', intentId: 'c3' }, 3))).toEqual(['k', 'k2']);
    expect(of([at(close, 2)], at(newer, 1))).toEqual([]);
    expect(of([at(close, 1)], at(newer, 1))).toEqual([]);
    // The retry of the same intent, another ticket, and entries.
    expect(of([at(close, 1)], at({ ...close, key: 'k~1' }, 2), at({ ...newer, ticket: 8 }, 3))).toEqual([]);
    expect(of([at(entry, 1)], at({ ...entry, key: 'e2', intentId: 'i2' }, 2))).toEqual([]);
    expect(supersededExits([at(close, 1)], [])).toEqual([]);
  });
});
