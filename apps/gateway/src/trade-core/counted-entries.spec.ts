import fc from 'fast-check';
import type { EntryLimits } from '@libs/order-drafts';
import { OrderType, PositionType, TradeAction, tradeRequest } from '@libs/terminal-client';
import {
  admit,
  endEntry,
  exposureOf,
  noteEntry,
  overtakeEntries,
  rateOf,
  refusalOf,
  takeUpEntries,
  takeView,
  ordersToShow,
  type EntryOrder,
  type EntryView,
} from './counted-entries';
import type { IntentOutcome, IntentRecord, TradeRequestRecord } from './journal-records';
import { CoreRig } from './testing/core-rig';
import { begunRequest, emptyState, type TradeState } from './trade-state';

const minuteMs = 60_000;
const noLimits: EntryLimits = {
  maxOrdersPerMinute: null,
  maxOpenVolume: null,
  maxOpenVolumePerSymbol: null,
  maxDailyLoss: null,
};
const volumeLimit: EntryLimits = { ...noLimits, maxOpenVolume: 1 };
const emptyView: EntryView = {
  ...{ isNetting: false, positions: [], orders: [], shownTickets: [], dailyLoss: null, currencyDigits: 2 },
};

const buy = (volume: number, symbol = 'EURUSD') => ({ symbol, type: OrderType.BUY, volume });
const sell = (volume: number, symbol = 'EURUSD') => ({ symbol, type: OrderType.SELL, volume });
const position = (ticket: number, volume: number, type: number = PositionType.BUY) => ({
  ...{ ticket, identifier: ticket, symbol: 'EURUSD', type, volume },
});
const done = (order: number): IntentOutcome => ({
  kind: 'done',
  source: 'answer',
  result: {
    ...{ retcode: 10009, deal: 7, order, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '', request_id: 1 },
    retcode_external: 0,
  },
});
const unknown: IntentOutcome = { kind: 'unknown', reason: 'r', result: null, lastError: null };
const notSent: IntentOutcome = { kind: 'not_sent', reason: 'r', lastError: null };
const rejected: IntentOutcome = { kind: 'rejected', result: null, lastError: null };

const intent = (id: string, outcome: IntentOutcome, fields: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ id, key: id, purpose: 'open', serverTimeMsc: 1, positionId: 0, positionVolume: 0, createdAtMs: 1, outcome },
  request: tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.4 }),
  ...fields,
});

describe('an entry that counts against the limits', () => {
  let state: TradeState;
  beforeEach(() => {
    state = emptyState();
  });

  const open = (view = emptyView) => exposureOf(state, view, volumeLimit, 0).openVolume?.get('EURUSD') ?? 0;
  const tickets = () => ordersToShow(state).map(({ ticket }) => ticket);
  const enter = (id: string, volume: number, view = emptyView, nowMs = 0) =>
    admit(state, id, buy(volume), view, volumeLimit, nowMs);
  const ended = (id: string, outcome: IntentOutcome, nowMs = 0) => {
    noteEntry(state, id, intent(`${id}/0`, outcome));
    endEntry(state, id, nowMs);
  };

  it('holds its volume while it is in flight, and no more is admitted than the limit allows', () => {
    expect(enter('a', 0.7)).toBeNull();
    expect(enter('b', 0.4)).toMatchObject({ errorType: 'open_volume_exceeded' });
    expect(enter('c', 0.3)).toBeNull();
    expect(open()).toBe(1);
  });

  it('holds it while its outcome is unknown, and after its execution until a list shows its order', () => {
    enter('a', 0.7);
    ended('a', unknown);
    takeView(state, emptyView, 0);
    expect([open(), tickets()]).toEqual([0.7, []]);
    noteEntry(state, 'a', intent('a/0', done(5)));
    takeView(state, emptyView, 0);
    expect([open(), tickets()]).toEqual([0.7, [5]]);
    const view = { ...emptyView, positions: [position(5, 0.7)] };
    takeView(state, view, 0);
    expect([open(view), tickets()]).toEqual([0.7, []]);
  });

  it.each([
    ['its deals', { shownTickets: [5] }],
    ['the pending orders', { orders: [{ ticket: 5, symbol: 'EURUSD', volume_current: 0.7 }] }],
    ['the identifier of a position', { positions: [{ ...position(6, 0.7), identifier: 5 }] }],
  ])('is shown by %s', (_, fields) => {
    enter('a', 0.7);
    ended('a', done(5));
    takeView(state, { ...emptyView, ...fields }, 0);
    expect(tickets()).toEqual([]);
  });

  it.each([
    ['a pending order', { orders: [{ ticket: 5, symbol: 'EURUSD', volume_current: 0.6 }] }],
    ['a position', { positions: [position(5, 0.6)] }],
  ])('is not shown by %s of less than its volume', (_, fields) => {
    enter('a', 0.7);
    ended('a', done(5));
    takeView(state, { ...emptyView, ...fields }, 0);
    expect(tickets()).toEqual([5]);
  });

  it.each([
    ['rejected', rejected],
    ['never sent', notSent],
  ])('releases its volume if it was %s', (_, outcome) => {
    enter('a', 0.7);
    ended('a', outcome);
    takeView(state, emptyView, 0);
    expect(open()).toBe(0);
  });

  it('keeps its volume until every order that it made is shown', () => {
    enter('a', 0.7);
    noteEntry(state, 'a', intent('a/0', done(5)));
    noteEntry(state, 'a', intent('a/1', done(6)));
    endEntry(state, 'a', 0);
    takeView(state, { ...emptyView, shownTickets: [5] }, 0);
    expect(open()).toBe(0.7);
    takeView(state, { ...emptyView, shownTickets: [5, 6] }, 0);
    expect(open()).toBe(0);
  });

  it('counts for a minute from its end', () => {
    enter('a', 0.1);
    expect(rateOf(state, 10 * minuteMs)).toEqual({ count: 1, nextInMs: minuteMs });
    ended('a', rejected, 1_000);
    enter('b', 0.1, emptyView, 2_000);
    ended('b', done(5), 3_000);
    expect(rateOf(state, 3_000)).toEqual({ count: 2, nextInMs: 58_000 });
    takeView(state, { ...emptyView, shownTickets: [5] }, 3_000);
    expect(rateOf(state, 60_999)).toEqual({ count: 2, nextInMs: 1 });
    expect(rateOf(state, 61_000)).toEqual({ count: 1, nextInMs: 2_000 });
    expect(rateOf(state, 63_000)).toEqual({ count: 0, nextInMs: 0 });
    takeView(state, emptyView, 63_000);
    expect(state.entries.size).toBe(0);
  });

  it('does not count if nothing of it was sent', () => {
    enter('a', 0.1);
    endEntry(state, 'a', 0);
    enter('b', 0.1);
    ended('b', notSent);
    expect(rateOf(state, 0).count).toBe(0);
    // One of its two sends was.
    enter('c', 0.1);
    ended('c', rejected);
    noteEntry(state, 'c', intent('c/1', notSent));
    expect(rateOf(state, 0).count).toBe(1);
  });

  it('holds its volume for as long as one of its sends has no outcome', () => {
    enter('a', 0.4);
    ended('a', rejected);
    noteEntry(state, 'a', intent('a/1', unknown));
    enter('b', 0.3);
    noteEntry(state, 'b', intent('b/0', { kind: 'pending' }));
    endEntry(state, 'b', 0);
    takeView(state, emptyView, 10 * minuteMs);
    expect([open(), rateOf(state, 10 * minuteMs).count]).toEqual([0.7, 0]);
  });

  it('is a pending order as well, and none that was not admitted', () => {
    enter('a', 0.1);
    noteEntry(state, 'a', intent('a/0', done(5), { purpose: 'place_pending' }));
    endEntry(state, 'a', 0);
    endEntry(state, 'b', 0);
    expect([tickets(), state.entries.size]).toEqual([[5], 1]);
  });

  it('is no close', () => {
    enter('a', 0.1);
    noteEntry(state, 'a', intent('a/0', done(5), { purpose: 'close' }));
    endEntry(state, 'a', 0);
    expect(tickets()).toEqual([]);
  });

  describe('on a netting account', () => {
    const view: EntryView = { ...emptyView, isNetting: true, positions: [position(1, 0.6)] };
    const against = (volume: number, id: string) => admit(state, id, sell(volume), view, volumeLimit, 0);

    it('adds what is left of it after the position that it reduces', () => {
      expect(against(0.6, 'a')).toBeNull();
      expect(state.entries.get('a')?.addedVolume).toBe(0);
      expect(rateOf(state, 0).count).toBe(0);
      // The position is taken already.
      expect(against(0.4, 'b')).toBeNull();
      expect(state.entries.get('b')?.addedVolume).toBe(0.4);
      expect(refusalOf(state, sell(0.1), view, volumeLimit, 0)).toMatchObject({ errorType: 'open_volume_exceeded' });
    });

    it('adds all of it on the side of the position, as a pending order, or on a hedging account', () => {
      const added = (order: EntryOrder, of: EntryView): unknown => {
        const fresh = emptyState();
        return [admit(fresh, 'a', order, of, noLimits, 0), fresh.entries.get('a')?.addedVolume];
      };
      expect(added(sell(0.5), view)).toEqual([null, 0]);
      expect(added(buy(0.5), view)).toEqual([null, 0.5]);
      expect(added({ ...sell(0.5), type: OrderType.SELL_LIMIT }, view)).toEqual([null, 0.5]);
      expect(added(sell(0.5), { ...view, isNetting: false })).toEqual([null, 0.5]);
      expect(added(sell(0.5, 'GBPUSD'), view)).toEqual([null, 0.5]);
    });

    it('is refused by no limit if it only reduces the position', () => {
      const lossLimit = { ...noLimits, maxDailyLoss: 1 };
      const lossy = { ...view, dailyLoss: 50 };
      expect(refusalOf(state, sell(0.6), lossy, lossLimit, 0)).toBeNull();
      expect(refusalOf(state, sell(0.7), lossy, lossLimit, 0)).toMatchObject({ errorType: 'daily_loss_exceeded' });
    });

    it('reduces the position also beside orders of other symbols and sides', () => {
      admit(state, 'other symbol', sell(0.6, 'GBPUSD'), view, noLimits, 0);
      admit(state, 'other side', buy(0.6), view, noLimits, 0);
      against(0.6, 'a');
      expect(state.entries.get('a')?.addedVolume).toBe(0);
    });

    it('opens what another order may close first', () => {
      against(0.6, 'a');
      expect(exposureOf(state, { ...view, positions: [] }, volumeLimit, 0).openVolume?.get('EURUSD')).toBe(0.6);
      expect(exposureOf(state, view, volumeLimit, 0).openVolume?.get('EURUSD')).toBe(0.6);
    });

    it('opens what a close takes before it is sent', () => {
      const closes = (volume: number, purpose: IntentRecord['purpose'] = 'close', symbol = 'EURUSD') => {
        const request = tradeRequest({ action: TradeAction.DEAL, symbol, volume });
        overtakeEntries(state, intent('c/0', { kind: 'pending' }, { purpose, request }));
      };
      const entry = () => {
        const { addedVolume, spareVolume, isOvertaken } = state.entries.get('a') ?? {};
        return [addedVolume, spareVolume, isOvertaken];
      };
      against(0.4, 'a');
      expect(entry()).toEqual([0, 0.2, false]);
      closes(0.1);
      expect(entry()).toEqual([0, 0.1, false]);
      closes(0.6, 'close', 'GBPUSD');
      closes(0.6, 'open');
      expect(entry()).toEqual([0, 0.1, false]);
      closes(0.3);
      expect(entry()).toEqual([0.2, 0, true]);
      closes(0.6);
      expect(entry()).toEqual([0.4, 0, true]);
      expect(rateOf(state, 0).count).toBe(1);
      endEntry(state, 'a', 0);
      against(0.1, 'b');
      endEntry(state, 'b', 0);
      closes(0.6);
      expect(state.entries.get('b')?.isOvertaken).toBe(false);
    });

    it('is overtaken by the close of another request, as the trade core takes both', () => {
      const rig = new CoreRig();
      const order = { symbol: 'EURUSD', type: OrderType.SELL, volume: 0.6 };
      rig.deliver({ type: 'entry asked', requestId: 'id1', order, view, limits: volumeLimit });
      rig.request('c', 'f');
      rig.intend('c', 'close');
      expect(rig.core.state.entries.get('id1')?.isOvertaken).toBe(true);
    });

    it('does not count on what a close takes', () => {
      const record: TradeRequestRecord = {
        ...{ id: 'c', key: 'c', clientOrderId: 'c', requestId: 'r', method: 'POST', path: '/', route: 'POST /' },
        ...{ fingerprint: '', status: 'in_progress', createdAtMs: 0, settledAtMs: null },
        ...{ responseStatus: null, response: null },
      };
      const closing = (
        fields: Partial<IntentRecord>,
        status: 'in_progress' | 'unknown' | 'accepted' = 'in_progress',
      ) => {
        const request = begunRequest({ ...record, status }, status);
        const pending = intent('c/0', { kind: 'pending' }, { purpose: 'close_partial', ...fields });
        request.intents.set('c/0', pending);
        const fresh = { ...emptyState(), requests: new Map([['c', request]]) };
        admit(fresh, 'a', sell(0.5), view, noLimits, 0);
        return fresh.entries.get('a')?.addedVolume;
      };
      expect(closing({})).toBe(0.3);
      expect(closing({ outcome: unknown })).toBe(0.3);
      expect(closing({ outcome: unknown }, 'unknown')).toBe(0.3);
      expect(closing({ outcome: unknown }, 'accepted')).toBe(0);
      expect(closing({ outcome: done(3) })).toBe(0);
      expect(closing({ purpose: 'cancel' })).toBe(0);
      expect(closing({ request: tradeRequest({ action: TradeAction.DEAL, symbol: 'GBPUSD', volume: 0.4 }) })).toBe(0);
    });
  });

  it('is taken up after a restart: by the minute if it was sent, and by its volume if its outcome is unknown', () => {
    const at = (ms: number) => ({ writtenAtRunningMs: ms });
    const open1 = intent('u/0', unknown, at(100));
    const record: TradeRequestRecord = {
      ...{ id: 'u', key: 'u', clientOrderId: 'u', requestId: 'r', method: 'POST', path: '/', route: 'POST /' },
      ...{ fingerprint: '', status: 'unknown', createdAtMs: 0, settledAtMs: null },
      ...{ responseStatus: 502, response: '{}' },
    };
    const request = begunRequest(record, 'unknown');
    request.intents.set('u/0', open1);
    state.requests.set('u', request);
    const recalled = [
      intent('a/0', done(5), at(70_000)),
      intent('b/0', notSent, at(70_000)),
      intent('c/0', rejected, at(60_000)),
      intent('c/1', rejected, at(65_000)),
      intent('d/0', done(6), at(9_999)),
      intent('e/0', done(7), { ...at(70_000), purpose: 'cancel' }),
      open1,
    ];
    takeUpEntries(state, recalled, 70_000);
    expect(rateOf(state, 70_000)).toEqual({ count: 2, nextInMs: 55_000 });
    expect(open()).toBe(0.4);
    takeUpEntries(state, recalled, 70_000);
    expect([rateOf(state, 70_000).count, open()]).toEqual([2, 0.4]);
    noteEntry(state, 'u', intent('u/0', rejected));
    takeView(state, emptyView, 70_000);
    expect(open()).toBe(0);
  });

  it('is admitted, and released once its order is shown, by the trade core', () => {
    const rig = new CoreRig();
    const ask = (requestId: string, view = emptyView) =>
      rig.deliver({ type: 'entry asked', requestId, order: buy(0.7), view, limits: volumeLimit });
    rig.request('a', 'f');
    expect(ask('id1')).toEqual([{ type: 'admit' }]);
    expect(ask('id2')).toMatchObject([{ type: 'refuse entry', refusal: { errorType: 'open_volume_exceeded' } }]);
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'done');
    rig.deliver({ type: 'entry ended', requestId: 'id1' });
    expect(ask('id2')).toMatchObject([{ type: 'refuse entry' }]);
    rig.deliver({ type: 'account viewed', view: { ...emptyView, shownTickets: [1] } });
    expect(rig.core.state.entries.get('id1')).toMatchObject({ isHeld: false });
    expect(ask('id2')).toEqual([{ type: 'admit' }]);
    rig.deliver({ type: 'entry ended', requestId: 'id2' });
    expect(ask('id3', { ...emptyView, shownTickets: [1] })).toEqual([{ type: 'admit' }]);
  });

  describe('of an earlier process', () => {
    const record: TradeRequestRecord = {
      ...{ id: 'u', key: 'u', clientOrderId: 'u', requestId: 'r', method: 'POST', path: '/', route: 'POST /' },
      ...{ fingerprint: '', status: 'unknown', createdAtMs: 0, settledAtMs: null },
      ...{ responseStatus: 502, response: '{}' },
    };
    const found = (status: 'unknown' | 'accepted' | 'in_progress', ...intents: readonly IntentRecord[]) => {
      const request = begunRequest({ ...record, status }, status);
      for (const one of intents) request.intents.set(one.id, one);
      state.requests.set('u', request);
    };

    it('holds its volume if one of its sends is unknown', () => {
      found('unknown', intent('u/0', rejected), intent('u/1', unknown));
      takeUpEntries(state, [], 0);
      expect(open()).toBe(0.4);
      // Its request may be known from now on by what was sent alone.
      state.requests.clear();
      takeUpEntries(state, [intent('u/1', unknown)], 0);
      expect(open()).toBe(0.4);
    });

    it.each([
      ['an operator accepted its outcome', 'accepted', intent('u/0', unknown)],
      ['its sends have an outcome', 'unknown', intent('u/0', done(5))],
      ['it is a close', 'unknown', intent('u/0', unknown, { purpose: 'close' })],
      ['it is of this process', 'in_progress', intent('u/0', { kind: 'pending' })],
    ] as const)('holds none if %s', (_case, status, one) => {
      found(status, one);
      takeUpEntries(state, [], 0);
      expect([open(), state.entries.size]).toEqual([0, 0]);
    });

    it('counts from its last send that may have gone out', () => {
      const at = (writtenAtRunningMs: number) => ({ writtenAtRunningMs });
      takeUpEntries(state, [intent('a/0', rejected, at(20_000)), intent('a/1', notSent, at(65_000))], 70_000);
      expect(rateOf(state, 70_000)).toEqual({ count: 1, nextInMs: 10_000 });
    });

    it('does not end one that is in flight', () => {
      enter('a', 0.7);
      takeUpEntries(state, [intent('a/0', done(5))], 0);
      expect(state.entries.get('a')).toMatchObject({ endedAtMs: null, volume: 0.7 });
    });
  });

  it('never lets orders exceed the limit, in whatever order lists show them and outcomes come', () => {
    const step = fc.record({
      act: fc.constantFrom('enter', 'end', 'settle', 'view'),
      which: fc.nat(7),
      tenths: fc.integer({ min: 1, max: 6 }),
      outcome: fc.constantFrom('done', 'rejected', 'unknown', 'not_sent'),
      shows: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        state = emptyState();
        const books = new Map<number, number>();
        const shown = new Set<number>();
        const orders: { id: string; tenths: number; mayAct: boolean; ticket: number }[] = [];
        const view = (): EntryView => ({
          ...emptyView,
          positions: [...shown].map((ticket) => position(ticket, (books.get(ticket) ?? 0) / 10)),
        });
        for (const { act, which, tenths, outcome, shows } of steps) {
          const order = orders[which % Math.max(1, orders.length)];
          if (act === 'enter') {
            const id = `r${orders.length}`;
            takeView(state, view(), 0);
            if (enter(id, tenths / 10, view()) === null) {
              orders.push({ id, tenths, mayAct: true, ticket: orders.length + 1 });
            }
          } else if (act === 'view') {
            for (const ticket of books.keys()) if (shows) shown.add(ticket);
            takeView(state, view(), 0);
          } else if (order && order.mayAct) {
            const kind = outcome === 'unknown' && act === 'settle' ? 'done' : outcome;
            const made = kind === 'done';
            if (made) books.set(order.ticket, order.tenths);
            order.mayAct = kind === 'unknown';
            const outcomes = { done: done(order.ticket), rejected, unknown, not_sent: notSent };
            ended(order.id, outcomes[kind]);
          }
          const most = orders.filter(({ mayAct }) => mayAct).reduce((sum, one) => sum + one.tenths, 0);
          const atBroker = [...books.values()].reduce((sum, one) => sum + one, 0);
          expect(most + atBroker).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
