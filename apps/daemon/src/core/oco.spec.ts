import type { DealRecord, OrderRecord } from '@libs/gateway-client';
import { DealEntry, DealType, OrderState, OrderType } from '@libs/trade-constants';
import { blankRecord, type OwnedTicket } from './records';
import { row as positionRow } from './testing/core-rig';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import type { CoreEffect } from './core-effect';
import type { CoreEventBody } from './core-event';
import { startOf } from './core-state';
import { undisturbed } from './risk';
import { StrategyCore } from './strategy-core';

const [buyStop, sellStop, other] = [1, 2, 3].map((ticket): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: `i${ticket}` },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false },
  ...(ticket === 3 ? {} : { oco: 'i1' }),
})) as [OwnedTicket, OwnedTicket, OwnedTicket];

/** The row of a pending order. */
const row = (ticket: number): OrderRecord => ({
  ...{ ticket, magic: 7, symbol: 'EURUSD', comment: '', external_id: '', client_order_id: null, position_id: 0 },
  ...{ type: ticket === 1 ? OrderType.BUY_STOP : OrderType.SELL_STOP, state: OrderState.PLACED },
  ...{
    volume_initial: 0.2,
    volume_current: 0.2,
    price_open: 1.1,
    price_current: 1.1,
    price_stoplimit: 0,
    sl: 0,
    tp: 0,
  },
  ...{
    time_setup: 0,
    time_setup_msc: 0,
    time_done: 0,
    time_done_msc: 0,
    time_expiration: 0,
    type_time: 0,
    type_filling: 0,
  },
  ...{ position_by_id: 0, reason: 3 },
});

/** A deal of an order. */
const deal = (order: number, ticket = 100 + order, entry: number = DealEntry.IN, position = order): DealRecord => ({
  ...{ ticket, order, type: DealType.BUY, reason: 3, entry, volume: 0.1, price: 1.1, profit: 0, commission: 0 },
  ...{ swap: 0, fee: 0, magic: 7, position_id: position, symbol: 'EURUSD', time: 0, time_msc: ticket, comment: '' },
  ...{ external_id: '', time_utc: null, client_order_id: null },
});

describe('orders of which the fill of one cancels the others', () => {
  const tickets = [buyStop, sellStop, other];
  const core = (stored = tickets, record = blankRecord('ema')) =>
    new StrategyCore(startOf({ spec, record, tickets: stored, stacks: [], kept: null }));
  const deliver = (to: StrategyCore, event: CoreEventBody): readonly CoreEffect[] => {
    const effects: CoreEffect[] = [];
    to.handle({ ...event, at: { nowMs: 0, monotonicMs: 0, isStopping: false, journals: { demo: 'A' } } }, effects);
    return effects;
  };
  const shows = (to: StrategyCore, ...pending: readonly number[]) =>
    deliver(to, { type: 'rows', broker: 'demo', rows: new AccountRows([], pending.map(row)) });
  const fills = (to: StrategyCore, ticket: number, deals: readonly DealRecord[]) =>
    deliver(to, { type: 'deals', broker: 'demo', ticket, deals, follows: null });
  const cancelled = (effects: readonly CoreEffect[]) =>
    effects.flatMap((effect) => (effect.type === 'cancel' ? [[effect.sweep.intent.order, effect.sweep.reason]] : []));
  const seen = (to: StrategyCore) => deliver(to, { type: 'account seen', marketMs: 0, quotes: {} });
  const because = 'another order of its group has filled';

  it('are cancelled with the first fill of one, also a partial one; orders outside of the group stay', () => {
    const one = core();
    shows(one, 1, 2, 3);
    const effects = fills(one, 1, [deal(1)]);
    expect(cancelled(effects)).toEqual([[2, because]]);
    const [persist] = effects;
    // With the booking, in one write: the fill does not come again.
    expect(persist).toMatchObject({
      type: 'persist',
      change: { tickets: [{ ticket: 1 }], strategy: { filledOco: [{ group: 'i1', broker: 'demo', ticket: 1 }] } },
    });
  });

  const positionOf1 = positionRow(1, { volume: 0.2 });
  const partOf1 = { ...row(1), volume_current: 0.1 };
  it.each([
    ['the position of one', () => new AccountRows([positionOf1], [row(2), row(3)])],
    ['one with less than its volume', () => new AccountRows([], [partOf1, row(2), row(3)])],
  ])('are cancelled once a list shows %s, before its deals are shown', (_case, shown) => {
    const one = core();
    shows(one, 1, 2, 3);
    const effects = deliver(one, { type: 'rows', broker: 'demo', rows: shown() });
    expect(cancelled(effects)).toEqual([[2, because]]);
    const filledOco = [{ group: 'i1', broker: 'demo', ticket: 1 }];
    expect(effects[0]).toMatchObject({ type: 'persist', change: { strategy: { filledOco } } });
    expect(fills(one, 1, [deal(1)]).filter(({ type }) => type === 'warn')).toEqual([]);
    expect(one.state.book.record.filledOco).toEqual(filledOco);
  });

  it.each([true, false])('are cancelled once the history shows that one has filled; hedging: %s', (isHedging) => {
    const one = core();
    shows(one, 2, 3);
    const order = { state: OrderState.FILLED, position_id: 0, volume_initial: 0.2, volume_current: 0 };
    const ends = { type: 'order', broker: 'demo', ticket: 1, order, owner: null, isHedging } as const;
    expect(cancelled(deliver(one, ends))).toEqual([[2, because]]);
    expect(one.state.book.record.filledOco).toEqual([{ group: 'i1', broker: 'demo', ticket: 1 }]);
  });

  it('are those of the order that filled first, if a list shows two', () => {
    const one = core();
    const rows = new AccountRows([{ ...positionOf1, time_msc: 2 }, positionRow(2, { time_msc: 1 })], [row(3)]);
    deliver(one, { type: 'rows', broker: 'demo', rows });
    expect(one.state.book.record.filledOco).toEqual([{ group: 'i1', broker: 'demo', ticket: 2 }]);
  });

  it('are cancelled again with each account snapshot, until they are no longer listed', () => {
    const one = core();
    shows(one, 1, 2, 3);
    fills(one, 1, [deal(1)]);
    expect(cancelled(seen(one))).toEqual([[2, because]]);
    const intent = { id: 's', action: 'cancel', order: 2, broker: 'demo' } as const;
    deliver(one, { type: 'intent', intent, circumstances: null, key: 'k' });
    expect(cancelled(seen(one))).toEqual([]);
    const outcome = { kind: 'rejected', retryable: false, errorType: 'x', reason: 'no', status: 400 };
    deliver(one, { type: 'persisted', n: one.state.snapshot.lastNumber, isDurable: true });
    deliver(one, { type: 'request', key: 'k', event: { type: 'answered', outcome } as never });
    deliver(one, { type: 'persisted', n: one.state.snapshot.lastNumber, isDurable: true });
    deliver(one, { type: 'request', key: 'k', event: { type: 'seen' } });
    expect(cancelled(seen(one))).toEqual([[2, because]]);
  });

  it('are cancelled after a restart, even if the position of the first is already closed', () => {
    const one = core();
    shows(one, 1, 2, 3);
    fills(one, 1, [deal(1)]);
    const { record } = one.state.book;
    const next = core([sellStop, other], record);
    shows(next, 2, 3);
    expect(cancelled(seen(next))).toEqual([[2, because]]);
  });

  it('are cancelled when their entry is answered after the fill', () => {
    const one = core([buyStop, other]);
    shows(one, 1, 3);
    const options = { volume: 0.2, kind: 'stop', price: 1.09 } as const;
    const intent = { id: 'i2', action: 'enter', side: 'sell', stream: 'eur', options, oco: 'i1' } as const;
    deliver(one, { type: 'intent', intent, circumstances: undisturbed, key: 'k2' });
    deliver(one, { type: 'persisted', n: one.state.snapshot.lastNumber, isDurable: true });
    fills(one, 1, [deal(1)]);
    const outcome = { kind: 'done', status: 200, body: { result: { order: 2 }, state: 'placed' }, replayed: false };
    deliver(one, { type: 'request', key: 'k2', event: { type: 'answered', outcome } as never });
    deliver(one, { type: 'order found', key: 'k2', order: 2, remembered: null });
    deliver(one, { type: 'persisted', n: one.state.snapshot.lastNumber, isDurable: true });
    deliver(one, { type: 'request', key: 'k2', event: { type: 'seen' } });
    shows(one, 2, 3);
    expect(cancelled(seen(one))).toEqual([[2, because]]);
  });

  it('are no longer placed', () => {
    const one = core();
    shows(one, 1, 2, 3);
    fills(one, 1, [deal(1)]);
    const options = { volume: 0.2, kind: 'stop', price: 1.09 } as const;
    const intent = { id: 'i4', action: 'enter', side: 'sell', stream: 'eur', options, oco: 'i1' } as const;
    expect(deliver(one, { type: 'intent', intent, circumstances: undisturbed, key: 'k4' })).toMatchObject([
      { type: 'denied', reject: { intentId: 'i4', reason: 'order 1 of the same group has filled' } },
    ]);
  });

  it('leave the rest of the first order working, and cancel the rest of a later one', () => {
    const one = core();
    shows(one, 1, 2, 3);
    fills(one, 1, [deal(1)]);
    const effects = fills(one, 2, [deal(2)]);
    expect(effects.filter(({ type }) => type === 'warn')).toEqual([
      { type: 'warn', reason: 'order 2 filled after order 1 of the same group: both positions stay open' },
    ]);
    expect(cancelled(effects)).toEqual([[2, because]]);
    expect(one.state.book.record.filledOco).toEqual([{ group: 'i1', broker: 'demo', ticket: 1 }]);
  });

  it('are cancelled when one fills into another position, on a netting account', () => {
    const position: OwnedTicket = { ...other, ticket: 9, deals: [90], volumeIn: '0.1', working: false };
    const one = core([buyStop, sellStop, position]);
    shows(one, 1, 2);
    // It still works, and its deal is one of the position.
    expect(cancelled(fills(one, 9, [deal(90, 90, DealEntry.IN, 9), deal(1, 101, DealEntry.IN, 9)]))).toEqual([
      [2, because],
    ]);
    const two = core([buyStop, sellStop, position]);
    shows(two, 2);
    const order = { state: OrderState.FILLED, position_id: 9, volume_initial: 0.2, volume_current: 0 };
    const ends = { type: 'order', broker: 'demo', ticket: 1, order, owner: 'ema', isHedging: false } as const;
    expect(cancelled(deliver(two, ends))).toEqual([[2, because]]);
    // One that no strategy owns becomes that of the strategy once its deals are read; that the group filled is written with it.
    const three = core([buyStop, sellStop]);
    shows(three, 2);
    deliver(three, { ...ends, owner: null });
    const deals = [deal(50, 150, DealEntry.IN, 9), deal(1, 151, DealEntry.IN, 9)];
    const filled = { ...row(1), ...order };
    const effects = deliver(three, {
      ...{ type: 'external deals', broker: 'demo', ticket: 1, order: filled, position: 9 },
      ...{ deals },
    });
    expect(cancelled(effects)).toEqual([[2, because]]);
    expect(effects[0]).toMatchObject({
      type: 'persist',
      change: { strategy: { filledOco: [{ group: 'i1', broker: 'demo', ticket: 1 }] } },
    });
  });

  it('are not cancelled when one of them ends unfilled', () => {
    const one = core();
    shows(one, 2, 3);
    const order = { state: OrderState.EXPIRED, position_id: 0, volume_initial: 0.2, volume_current: 0.2 };
    const ends = { type: 'order', broker: 'demo', ticket: 1, order, owner: null, isHedging: true } as const;
    expect(cancelled([...deliver(one, ends), ...seen(one)])).toEqual([]);
  });

  it('are no longer kept as a group when no order can belong to it', () => {
    const groups = Array.from({ length: 30 }, (_, index): OwnedTicket => {
      return { ...other, ticket: index + 1, oco: `g${index}`, working: false };
    });
    const waits: OwnedTicket = { ...other, ticket: 100, oco: 'g0' };
    const one = core([...groups, waits]);
    for (const { ticket } of groups) fills(one, ticket, [deal(ticket), deal(ticket, 200 + ticket, DealEntry.OUT)]);
    const kept = one.state.book.record.filledOco?.map(({ group }) => group) ?? [];
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([22, 'g0', 'g29']);
  });
});
