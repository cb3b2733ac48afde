import type { ModifyOrderRequest, OrderRequest } from '@libs/gateway-client';
import { claimOf, isClaimed, replacedBy, withExpiry, withStop, withUnreadClose } from './claim';
import { changedExpiresMs, entryCall, expiresMsOf, stopOf, ticketCall, ticketOf } from './intent-call';
import type { IntentRecord, OwnedTicket } from './records';
import type { Intent } from './strategy-event';

const stream = { alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const base = { id: 'i1', broker: null } as const;
type OfTicket = Parameters<typeof ticketCall>[0];
const expirationMs = Date.UTC(2026, 0, 9, 10);
const expiration = '2026-01-09T10:00:00.000Z';

describe('the trade request of an intent', () => {
  it('has the symbol, the type and the magic number of an entry, and just the options that are given', () => {
    const of = (side: 'buy' | 'sell', options: Parameters<typeof entryCall>[2]) =>
      entryCall(stream, side, options, 7).body as OrderRequest;
    expect(of('buy', { volume: 0.1 })).toEqual({ symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 });
    expect(of('buy', { volume: 0.1, deviation: 4 })).toMatchObject({ deviation: 4 });
    const given = { price: 1.1, stoplimit: 1.2, sl: 1.05, tp: 1.3 };
    expect(of('sell', { kind: 'stop_limit', volume: 0.1, ...given, expirationMs })).toEqual({
      ...{ symbol: 'EURUSD', volume: 0.1, type: 'SELL_STOP_LIMIT', magic: 7, ...given, expiration },
    });
    const kinds = (['limit', 'stop'] as const).flatMap((kind) => [
      of('buy', { kind, volume: 1, price: 1 }),
      of('sell', { kind, volume: 1, price: 1 }),
    ]);
    expect(kinds.map(({ type }) => type)).toEqual(['BUY_LIMIT', 'SELL_LIMIT', 'BUY_STOP', 'SELL_STOP']);
  });

  it.each<[object, object]>([
    [
      { ...base, action: 'close', position: 7, volume: null },
      { method: 'POST', path: '/close_position', body: { position: { ticket: 9 } } },
    ],
    [
      { ...base, action: 'close', position: 7, volume: 0.1 },
      { method: 'POST', path: '/close_position', body: { position: { ticket: 9, volume: 0.1 } } },
    ],
    [
      { ...base, action: 'protect', position: 7, sl: 1.1, tp: null },
      { method: 'POST', path: '/modify_sl_tp', body: { position: 9, sl: 1.1, clear_tp: true } },
    ],
    [
      { ...base, action: 'protect', position: 7, sl: null },
      { method: 'POST', path: '/modify_sl_tp', body: { position: 9, clear_sl: true } },
    ],
    [
      { ...base, action: 'modify', order: 7, change: { price: 1.1, stoplimit: 1.2, tp: 1.3, expirationMs } },
      { method: 'PUT', path: '/orders/9', body: { price: 1.1, stoplimit: 1.2, tp: 1.3, expiration } },
    ],
    [
      { ...base, action: 'modify', order: 7, change: { expirationMs: null } },
      { method: 'PUT', path: '/orders/9', body: { clear_expiration: true } },
    ],
    [
      { ...base, action: 'modify', order: 7, change: {} },
      { method: 'PUT', path: '/orders/9', body: {} },
    ],
    [
      { ...base, action: 'cancel', order: 7 },
      { method: 'DELETE', path: '/orders/9' },
    ],
  ])('names the ticket of the terminal: %j', (intent, call) => {
    expect(ticketCall(intent as OfTicket & Intent, 9)).toEqual(expect.objectContaining(call));
  });

  it('acts on a position or an order', () => {
    expect([ticketOf({ position: 3, broker: null }), ticketOf({ order: 4, broker: null })]).toEqual([3, 4]);
  });
});

const change = (body: ModifyOrderRequest): IntentRecord['call'] => ({ method: 'PUT', path: '/orders/7', body });
const protect = (body: object): IntentRecord['call'] => ({
  ...{ method: 'POST', path: '/modify_sl_tp', body: { position: 7, ...body } },
});
const entry: IntentRecord['call'] = entryCall(
  stream,
  'buy',
  { kind: 'limit', price: 1.1, volume: 0.1, sl: 1.05, expirationMs },
  7,
);
const close: IntentRecord['call'] = { method: 'POST', path: '/close_position', body: { position: { ticket: 7 } } };
const cancel = ticketCall({ ...base, action: 'cancel', order: 7 }, 7);

describe('what a request states', () => {
  it('is the expiration of its order', () => {
    expect([entry, change({ expiration }), change({}), close, cancel].map(expiresMsOf)).toEqual([
      ...[expirationMs, expirationMs, null, null, null],
    ]);
    const changes = [change({ expiration }), change({ clear_expiration: true }), change({ price: 1 }), entry, close];
    expect(changes.map(changedExpiresMs)).toEqual([expirationMs, null, undefined, undefined, undefined]);
    expect(changedExpiresMs(change({ clear_expiration: false }))).toBeUndefined();
  });

  it('is a stop-loss, its removal, or nothing about it', () => {
    const calls = [
      entry,
      protect({ sl: 1.1 }),
      protect({ clear_sl: true }),
      protect({ tp: 1 }),
      protect({ sl: null }),
      cancel,
    ];
    expect(calls.map(stopOf)).toEqual([1.05, 1.1, 0, undefined, undefined, undefined]);
    expect(stopOf(protect({ clear_sl: false, sl: 1.1 }))).toBe(1.1);
  });
});

const request = (call: IntentRecord['call'], changes: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ key: 'k', strategy: 'ema', broker: 'demo', intentId: 'i1', stream: 'eur', symbol: 'EURUSD', ticket: 7, call },
  ...{ isEntry: false, createdAtMs: 0, state: 'done', outcome: null, ...changes },
});
const owned: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [5] },
  ...{ volumeIn: '0.3', volumeOut: '0.1', working: true, closed: false },
};

describe('the ticket of an entry', () => {
  const entering = (changes: Partial<IntentRecord> = {}) => request(entry, { ticket: null, isEntry: true, ...changes });

  it('has what the request states, and waits unless it was filled in full', () => {
    const claimed = { ...owned, deals: [], volumeIn: '0', volumeOut: '0', expiresMs: expirationMs };
    expect(claimOf(entering(), 7, 'placed', false)).toEqual(claimed);
    expect(claimOf(entering({ oco: 'g', tag: 't' }), 7, 'executed', true)).toEqual({
      ...{ ...claimed, working: false, oco: 'g', tag: 't', stop: { sl: 1.05, isSeen: false } },
    });
    const bare = entering({ call: entryCall(stream, 'buy', { volume: 0.1 }, 7), stream: null, symbol: null });
    const { expiresMs: _, ...unlimited } = claimed;
    expect(claimOf(bare, 7, 'placed', true)).toEqual({
      ...{ ...unlimited, stream: '', symbol: '', stop: { sl: 0, isSeen: false } },
    });
  });

  it('is claimed by its own intent or by adoption, not by another intent', () => {
    expect(isClaimed(entering(), null)).toBe(false);
    expect(isClaimed(entering(), owned)).toBe(true);
    expect(isClaimed(entering(), { ...owned, intentId: null })).toBe(true);
    expect(isClaimed(entering(), { ...owned, intentId: 'other' })).toBe(false);
  });
});

describe('a ticket after a request', () => {
  it('has the stop-loss that was set, which is unseen unless it is the same', () => {
    const set = withStop({ ...owned, stop: { sl: 1.09, isSeen: true } }, request(protect({ sl: 1.1 })));
    expect(set?.stop).toEqual({ sl: 1.1, isSeen: false });
    const same: OwnedTicket = { ...owned, stop: { sl: 1.1, isSeen: true } };
    expect(withStop(same, request(protect({ sl: 1.1 })))).toBe(same);
    expect(withStop(owned, request(protect({ sl: 1.1 })))?.stop).toEqual({ sl: 1.1, isSeen: false });
    expect(withStop(owned, request(protect({ tp: 1.2 })))).toBeNull();
    expect(withStop(null, request(protect({ sl: 1.1 })))).toBeNull();
    expect(withStop(owned, request(entry, { isEntry: true }))).toBeNull();
  });

  it('has the expiration that was set', () => {
    const expiring = { ...owned, expiresMs: 1 };
    expect(withExpiry(expiring, request(change({ expiration })))).toEqual({ ...owned, expiresMs: expirationMs });
    expect(withExpiry(expiring, request(change({ clear_expiration: true })))).toEqual(owned);
    expect(withExpiry(expiring, request(change({ price: 1 })))).toBeNull();
    expect(withExpiry(null, request(change({ expiration })))).toBeNull();
  });

  it('is marked as closed but unread until the deals of the close are booked', () => {
    const marked = (volumeBefore: string | null, deal?: number, of: OwnedTicket | null = owned, call = close) =>
      withUnreadClose(of, { record: request(call), volumeBefore }, { result: { deal: deal ?? 0 } });
    expect(marked('0.2')).toEqual({ ...owned, closeUnread: true });
    expect(marked(null)).toEqual({ ...owned, closeUnread: true });
    expect(marked('0.3')).toBeNull();
    expect([marked('0.3', 6), marked('0.2', 5)]).toEqual([{ ...owned, closeUnread: true }, null]);
    expect([marked('0.2', 6, null), marked('0.2', 6, owned, protect({ sl: 1 }))]).toEqual([null, null]);
  });

  it('leaves what is left of an order, and goes on under the ticket that replaces it', () => {
    const after = (call: IntentRecord['call'], order: number | null, of: OwnedTicket | null = owned) =>
      replacedBy(of, request(call), order);
    const successor = { ...owned, ticket: 8, deals: [], volumeIn: '0', volumeOut: '0' };
    expect(after(change({ price: 1 }), 8)).toEqual([{ ...owned, working: false, closed: false }, successor]);
    const empty = { ...owned, volumeOut: '0.3' };
    expect(after(change({ price: 1 }), 8, empty)[0]).toEqual({ ...empty, working: false, closed: true });
    expect([after(protect({ sl: 1 }), 8), after(change({}), null), after(change({}), 7)]).toEqual([[], [], []]);
    expect([after(change({}), 8, null), after(change({}), 8, { ...owned, working: false })]).toEqual([[], []]);
  });
});
