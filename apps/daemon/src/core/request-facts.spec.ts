import { tradeCalls, type TradeCall } from '@libs/gateway-client';
import { AccountRows } from './account-rows';
import { added, noRequests } from './in-flight-requests';
import { newIntent } from './intent-lifecycle';
import { blankRecord, type IntentRecord, type OwnedTicket } from './records';
import { factsOf, isShown, timesOf } from './request-facts';
import { StrategyBook } from './strategy-book';
import { orderRow, pending, position, row } from './testing/core-rig';
import { spec } from './testing/spec';

const closing = { method: 'POST', path: '/close_position', body: { position: { ticket: 1 } } } as const;
const deletion = tradeCalls.cancelOrder(8);
const change = { method: 'POST', path: '/modify_sl_tp', body: { position: 1, sl: 1.09 } } as const;
const record = (call: TradeCall, ticket: number | null, changes: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ key: 'k1', strategy: 'ema', broker: 'demo', intentId: 'i1', stream: 'eur', symbol: 'EURUSD', ticket, call },
  ...{ isEntry: ticket === null, createdAtMs: 0, journalId: 'A', state: 'open', outcome: null, ...changes },
});
const entry = record({ method: 'POST', path: '/order', body: {} }, null);
const bookOf = (tickets: readonly OwnedTicket[], positions = [row(1)], orders = [orderRow(8)]) => {
  const book = new StrategyBook(spec, blankRecord('ema'), tickets);
  book.see('demo', new AccountRows(positions, orders));
  return book;
};
const moment = { nowMs: 7, monotonicMs: 3, isStopping: false, hasGateway: true, journalId: 'A' };

describe('what a request did', () => {
  const shows = (of: IntentRecord, book: StrategyBook, order: number | null = null) => {
    const { life } = newIntent(of, { nowMs: 0, monotonicMs: 0, openVolume: '0.1' });
    return isShown(book, life, order);
  };

  it.each([
    ['an entry without an order', entry, bookOf([position(1)], []), null, true],
    ['an entry whose position is in the book', entry, bookOf([position(1)]), 1, true],
    ['an entry whose order is not in the book yet', entry, bookOf([pending(1)]), 1, false],
    ['an entry beside a ticket that is not booked', entry, bookOf([position(1), pending(2)]), 1, true],
    ['a close whose position is as before', record(closing, 1), bookOf([position(1)]), null, false],
    [
      'a close of a part that is booked',
      record(closing, 1),
      bookOf([position(1, { volumeOut: '0.05' })], [row(1, { volume: 0.05 })]),
      null,
      true,
    ],
    ['a close that is not booked', record(closing, 1), bookOf([position(1, { volumeOut: '0.05' })], []), null, false],
    ['a close whose position is over', record(closing, 1), bookOf([]), null, true],
    ['a cancelled order that still waits', record(deletion, 8), bookOf([pending(8)]), null, false],
    ['a cancelled order whose end is not booked', record(deletion, 8), bookOf([pending(8)], [], []), null, false],
    ['a cancelled order that is over', record(deletion, 8), bookOf([]), null, true],
    ['a change, at once', record(change, 1), bookOf([position(1)], []), null, true],
  ] as const)('is shown or not: %s', (_, of, book, order, isSo) => {
    expect(shows(of, book, order)).toBe(isSo);
  });
});

describe('the facts of a request', () => {
  it('are what is open under its ticket, at its moment', () => {
    const book = bookOf([position(1), position(2)], [row(1)]);
    const volumes = [entry, record(closing, 1), record(closing, 5)].map((of) => [
      timesOf(of, book, moment),
      factsOf(of, noRequests, book, moment).openVolume,
    ]);
    const times = { nowMs: 7, monotonicMs: 3 };
    expect(volumes).toEqual([null, '0.1', null].map((openVolume) => [{ ...times, openVolume }, openVolume]));
    const isSettled = (ticket: number) => factsOf(record(closing, ticket), noRequests, book, moment).isSettled;
    expect([isSettled(1), isSettled(2)]).toEqual([true, false]);
  });

  it('leave a move of a trailing stop to be sent beside requests for the same number on another gateway', () => {
    const trail = { intentId: 'i1', side: 'buy', distance: 0.01, step: 0.001, activateAt: null } as const;
    const book = bookOf([position(1, { trail })]);
    const move = record(change, 1, { isTrailing: true });
    const times = timesOf(move, book, moment);
    const all = added(noRequests, newIntent(move, times).life);
    const beside = (broker: string) =>
      added(all, newIntent(record(closing, 1, { key: 'k2', intentId: 'i2', broker }), times).life);
    const isWanted = (of = all) => factsOf(move, of, book, moment).isWanted;
    expect([isWanted(), isWanted(beside('live')), isWanted(beside('demo'))]).toEqual([true, true, false]);
  });
});
