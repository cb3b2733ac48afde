import { blankRecord, type IntentRecord, type OwnedTicket } from './records';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import { planOf, withExecuted, type OrderIntent } from './plan';
import { StrategyBook } from './strategy-book';

const owned = (broker: string, ticket: number): OwnedTicket => ({
  ...{ strategy: 'ema', broker, ticket, stream: broker, symbol: 'EURUSD', intentId: `i-${broker}` },
  ...{ deals: [1], volumeIn: '0.1', volumeOut: '0', closed: false },
});
const plan = (intent: OrderIntent, ...tickets: readonly OwnedTicket[]) =>
  planOf(intent, { book: new StrategyBook(spec, blankRecord('ema'), tickets), inFlight: [] }, null);
const close = { id: 'c', action: 'close', position: 7, volume: null } as const;

describe('the groups of which an order has filled', () => {
  const filled = Array.from({ length: 30 }, (_, at) => ({ group: `g${at}`, broker: 'demo', ticket: 100 + at }));
  const inFlight = { oco: 'g1' } as IntentRecord;
  const ticket = { ...owned('demo', 7), oco: 'g0' };
  const book = new StrategyBook(spec, { ...blankRecord('ema'), filledOco: filled }, [ticket]);

  it('are remembered while an order or a request of them may still come, and the newest twenty of the others', () => {
    const kept = withExecuted({ book, inFlight: [inFlight] }, []).map(({ group }) => group);
    expect(kept).toEqual(['g0', 'g1', ...filled.slice(10).map(({ group }) => group)]);
  });
});

describe('a ticket', () => {
  it('of two gateways is identified by the position object, and denied as a bare number', () => {
    const [demo, live] = [owned('demo', 7), owned('live', 7)];
    expect(plan({ ...close, broker: 'live' }, demo, live)).toMatchObject({ broker: 'live', ticket: 7 });
    expect(plan({ ...close, broker: null }, demo, live)).toBe(
      'ticket 7 is open on demo and live: pass the position or order object instead of the number',
    );
    expect(plan({ ...close, broker: null }, live, owned('demo', 8))).toMatchObject({ broker: 'live' });
    expect(plan({ ...close, broker: 'demo' }, live)).toBe('ticket 7 is not open or not owned by this strategy');
    const cancel = { id: 'x', action: 'cancel', order: 7, broker: 'demo' } as const;
    expect(plan(cancel, demo, live)).toMatchObject({ broker: 'demo', call: { path: '/orders/7' } });
  });

  it('of a pending order is changed with one request, but not while the strategy is halted', () => {
    const change = { price: 1.2, tp: null, expirationMs: Date.UTC(2024, 0, 2) };
    const modify = { id: 'm', action: 'modify', order: 7, broker: 'demo', change } as const;
    expect(plan(modify, owned('demo', 7))).toMatchObject({
      ...{ broker: 'demo', ticket: 7, isEntry: false },
      call: {
        ...{ method: 'PUT', path: '/orders/7' },
        body: { price: 1.2, clear_tp: true, expiration: '2024-01-02T00:00:00.000Z' },
      },
    });
    const forever = { ...modify, change: { expirationMs: null } };
    expect(plan(forever, owned('demo', 7))).toMatchObject({ call: { body: { clear_expiration: true } } });
    const halted = { ...blankRecord('ema'), halt: { kind: 'persistent', reason: 'by hand', atMs: 0 } } as const;
    const book = new StrategyBook(spec, halted, [owned('demo', 7)]);
    expect(planOf(modify, { book, inFlight: [] }, null)).toBe('halted: by hand');
  });

  it('is in the books of one gateway, regardless of the rows of the other', () => {
    const book = new StrategyBook(spec, blankRecord('ema'), [owned('demo', 7), owned('live', 7)]);
    book.see('demo', new AccountRows([], []));
    expect(book.unsettled('demo')).toMatchObject([{ broker: 'demo' }]);
    const deal = {
      ticket: 2,
      order: 9,
      type: 1,
      entry: 1,
      volume: 0.1,
      price: 1.2,
      profit: 5,
      time_utc: null,
      client_order_id: null,
    } as const;
    const rest = { commission: 0, swap: 0, fee: 0, reason: 3, magic: 7, position_id: 7, symbol: 'EURUSD' } as const;
    const more = { time: 0, time_msc: 0, comment: '', external_id: '' } as const;
    const { change } = book.booking('demo', 7, [{ ...deal, ...rest, ...more }], () => null);
    book.apply(change);
    expect([book.owns('demo', 7), book.owns('live', 7)]).toEqual([false, true]);
    expect(book.record.realizedOn).toEqual({ demo: '5' });
    // The zone of the broker's clock is unknown: its time must not be labelled as UTC.
    expect(book.record.lastTrade?.timestamp).toBeNull();
  });

  it('has at most one partial close in flight', () => {
    const book = new StrategyBook(spec, blankRecord('ema'), [owned('demo', 7)]);
    const first = planOf({ ...close, broker: null, volume: 0.05 }, { book, inFlight: [] }, null);
    if (typeof first === 'string') throw new Error(first);
    const record = { key: 'k', strategy: 'ema', intentId: 'c', createdAtMs: 0, state: 'open', outcome: null } as const;
    const inFlight = [{ ...first, ...record }];
    const again = planOf({ ...close, broker: null, volume: 0.05 }, { book, inFlight }, null);
    expect(again).toBe('an earlier close of position 7 is still in flight');
    const besides = inFlight.flatMap((one) => [
      { ...one, ticket: 8 },
      { ...one, broker: 'live' },
      { ...one, call: { ...one.call, path: '/modify_sl_tp' } },
    ]);
    const beside = planOf({ ...close, broker: null, volume: 0.05 }, { book, inFlight: besides }, null);
    expect(beside).toMatchObject({ ticket: 7 });
    const cancel = { id: 'x', action: 'cancel', order: 7, broker: 'demo' } as const;
    expect(planOf(cancel, { book, inFlight }, null)).toMatchObject({ ticket: 7 });
    expect(planOf({ ...close, broker: null }, { book, inFlight }, null)).toMatchObject({ ticket: 7 });
  });

  it('closes no part of a position before the deals of an executed close are booked', () => {
    const book = new StrategyBook(spec, blankRecord('ema'), [{ ...owned('demo', 7), closeUnread: true }]);
    const holdings = { book, inFlight: [] };
    expect(planOf({ ...close, broker: null, volume: 0.05 }, holdings, null)).toBe(
      'an earlier close of position 7 was executed, and its deals are not read yet',
    );
    expect(planOf({ ...close, broker: null }, holdings, null)).toMatchObject({ ticket: 7 });
  });
});
