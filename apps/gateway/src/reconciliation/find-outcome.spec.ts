import { OrderState, OrderType, tradeRequest, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { tagOfKey } from '../trade-journal/key-marks';
import type { BrokerSnapshot } from './broker-snapshot';
import { findOutcome } from './find-outcome';

const request = tradeRequest({
  action: 1,
  symbol: 'EURUSD',
  volume: 0.1,
  type: OrderType.BUY,
  magic: 7,
  comment: 'bot',
});
const intent = (id: string, comment = 'bot'): IntentRecord => ({
  ...{ id, key: id, purpose: 'open', request: { ...request, comment }, serverTimeMsc: 1_000 },
  ...{ positionId: 0, positionVolume: 0, createdAtMs: 0, outcome: { kind: 'pending' } },
});
const order = (ticket: number, changes: Partial<TradeOrder> = {}): TradeOrder => ({
  ...{ ticket, time_setup: 1, time_setup_msc: 1_500, time_done: 1, time_done_msc: 1_500, time_expiration: 0 },
  ...{ type: OrderType.BUY, type_time: 0, type_filling: 0, state: OrderState.FILLED, magic: 7, position_id: ticket },
  ...{ position_by_id: 0, reason: 3, volume_initial: 0.1, volume_current: 0, price_open: 0, sl: 0, tp: 0 },
  ...{ price_current: 1.1, price_stoplimit: 0, symbol: 'EURUSD', comment: 'bot', external_id: '' },
  ...changes,
});
const deal = (of: number): TradeDeal => ({
  ...{
    ticket: of + 1_000,
    order: of,
    time: 1,
    time_msc: 1_500,
    type: 0,
    entry: 0,
    magic: 7,
    position_id: of,
    reason: 3,
  },
  ...{
    volume: 0.1,
    price: 1.1,
    commission: 0,
    swap: 0,
    profit: 0,
    fee: 0,
    symbol: 'EURUSD',
    comment: '',
    external_id: '',
  },
});
const broker = (...orders: TradeOrder[]): BrokerSnapshot => ({
  positions: [],
  orders: [],
  historyOrders: orders,
  deals: orders.map(({ ticket }) => deal(ticket)),
});
const contested = {
  kind: 'contested',
  reason: 'another request whose outcome is unknown may have made the same: order 5',
};
const alone = { claimOf: () => undefined, underWay: [], rivals: [], acknowledged: [], laterChanges: [] };

describe('the outcome of a lost send', () => {
  it('is the matching order and its deal', () => {
    expect(findOutcome(intent('a'), broker(order(5)), alone)).toMatchObject({
      kind: 'done',
      source: 'lookup',
      result: { order: 5, deal: 1_005, price: 1.1, volume: 0.1 },
    });
  });

  it('is of a close by its order with the deals of both positions, and of no other pair', () => {
    const closeBy: IntentRecord = {
      ...{ ...intent('a'), purpose: 'close_by', positionId: 3, positionVolume: 0.3 },
      request: tradeRequest({ action: 10, symbol: 'EURUSD', position: 3, position_by: 4 }),
      by: { positionId: 4, positionVolume: 0.1, magic: 0 },
    };
    const sent = order(5, { type: OrderType.CLOSE_BY, position_id: 3, position_by_id: 4, magic: 0, comment: '' });
    const first = { ...deal(5), entry: 3, position_id: 3, profit: 19 };
    const second = { ...deal(5), entry: 3, position_id: 4, ticket: 1_006 };
    const found = (orders: TradeOrder[], deals: TradeDeal[]) =>
      findOutcome(closeBy, { ...broker(), historyOrders: orders, deals }, alone);
    expect(found([sent], [first, second])).toMatchObject({
      result: { order: 5, deal: 1_005, volume: 0.1, price: 1.1 },
    });
    expect(found([sent], [first])).toBe('undecided');
    for (const other of [{ position_by_id: 9 }, { position_id: 4, position_by_id: 3 }, { reason: 0 }, { type: 1 }]) {
      expect(found([{ ...sent, ...other }], [first, second])).toBe('nothing');
    }
  });

  it('is undecided while the broker works on the rest of a partly filled order', () => {
    const working = order(5, { state: OrderState.PARTIAL, volume_initial: 0.3, volume_current: 0.2 });
    const large = { ...intent('a'), request: { ...request, volume: 0.3 } };
    const partly = { ...broker(), orders: [working], deals: [deal(5)] };
    expect(findOutcome(large, partly, alone)).toBe('undecided');
    const ended = { ...broker(), historyOrders: [{ ...working, state: OrderState.CANCELED }], deals: [deal(5)] };
    expect(findOutcome(large, ended, alone)).toMatchObject({ kind: 'done', result: { volume: 0.1, retcode: 10010 } });
  });

  it.each<[string, Partial<TradeOrder>]>([
    ['of another symbol', { symbol: 'GBPUSD' }],
    ['of the other side', { type: OrderType.SELL }],
    ['of another volume', { volume_initial: 0.2 }],
    ['of another magic', { magic: 8 }],
    ['from before the send', { time_setup_msc: 999 }],
    ['by a stop loss', { reason: 4 }],
    ['by hand', { reason: 0 }],
    ['with the tag of another key', { comment: tagOfKey('other') }],
  ])('is not an order %s', (_case, changes) => {
    expect(findOutcome(intent('a'), broker(order(5, changes)), alone)).toBe('nothing');
  });

  it.each([
    ['with its comment', 'bot'],
    ['of those whose comment the broker changed', 'x'],
  ])('is the oldest order %s, in whichever list the broker has it', (_case, comment) => {
    const snapshot = {
      ...broker(order(7, { comment, time_setup_msc: 1_700 }), order(6, { comment, time_setup_msc: 1_600 })),
      orders: [order(8, { comment, time_setup_msc: 1_800, state: OrderState.PLACED })],
    };
    expect(findOutcome(intent('a'), snapshot, alone)).toMatchObject({ kind: 'done', result: { order: 6 } });
  });

  it('is not an order that another request claimed', () => {
    const claimOf = () => ({ intentId: 'b', clientOrderId: 'b' });
    expect(findOutcome(intent('a'), broker(order(5)), { ...alone, claimOf })).toBe('nothing');
  });

  it('is only an order with its own tag if the journal with the claims was lost', () => {
    const left = (comment: string): IntentRecord => ({ ...intent('a', comment), ofLostJournal: true });
    expect(findOutcome(left('bot'), broker(order(5)), alone)).toEqual({
      kind: 'undecidable',
      reason: 'the trade journal was lost; order 5 matches, but may belong to another request',
    });
    const own = tagOfKey('a');
    expect(findOutcome(left(own), broker(order(5, { comment: own })), alone)).toMatchObject({ result: { order: 5 } });
    expect(findOutcome(left('bot'), broker(), alone)).toBe('nothing');
  });

  it('is undecided while an identical send is in flight', () => {
    expect(findOutcome(intent('a'), broker(order(5)), { ...alone, underWay: [intent('b')] })).toBe('undecided');
  });

  it('is contested if two sends match one order, but not if there is one for each', () => {
    const around = { ...alone, rivals: [intent('b')] };
    expect(findOutcome(intent('a'), broker(order(5)), around)).toEqual(contested);
    expect(findOutcome(intent('a'), broker(order(5), order(6)), around)).toMatchObject({ result: { order: 5 } });
  });

  it.each<[string, object, Partial<TradeOrder>]>([
    ['whose quote was later, because the clock of trades may be behind', { serverTimeMsc: 5_000 }, {}],
    ['whose magic the broker shows as 0', { request: { ...request, magic: 9 } }, { magic: 0 }],
  ])('may as well be the order of another send %s', (_case, other, shown) => {
    const rival = { ...intent('b'), ...other };
    const own = { ...intent('a'), request: { ...request, magic: shown.magic ?? request.magic } };
    expect(findOutcome(own, broker(order(5, shown)), { ...alone, rivals: [rival] })).toEqual(contested);
    expect(findOutcome(own, broker(order(5, shown)), { ...alone, underWay: [rival] })).toBe('undecided');
    expect(findOutcome(own, broker(order(5, shown)), { ...alone, acknowledged: [rival] })).toMatchObject({
      kind: 'undecidable',
    });
  });

  it('is undecided while one of the orders may be that of a send under way, also if another order would be its own', () => {
    // The order of `under way` is the newest; without it there are two orders for `a`, `b` and a send that did nothing.
    const underWay = { ...intent('under way'), serverTimeMsc: 40_000 };
    const rivals = [intent('b'), intent('c')];
    const orders = broker(order(5), order(6), order(7, { time_setup_msc: 41_000 }));
    expect(findOutcome(intent('a'), orders, { ...alone, rivals, underWay: [underWay] })).toBe('undecided');
    expect(findOutcome(intent('a'), orders, { ...alone, rivals })).toMatchObject({ kind: 'done' });
  });

  it('is not contested by a send of long after, nor by one with another magic', () => {
    const later = { ...intent('b'), serverTimeMsc: 60_000 };
    const other = { ...intent('c'), request: { ...request, magic: 9 } };
    expect(findOutcome(intent('a'), broker(order(5)), { ...alone, rivals: [later, other] })).toMatchObject({
      result: { order: 5 },
    });
  });

  it('is not an order with the exact comment of another lost send, even if that no longer competes', () => {
    const rival = intent('b', 'bot b');
    const around = { ...alone, acknowledged: [rival] };
    const theirs = broker(order(5, { comment: 'bot b' }));
    expect(findOutcome(intent('a', tagOfKey('a')), theirs, around)).toBe('nothing');
    expect(findOutcome(intent('a', 'bot a'), theirs, around)).toBe('nothing');
    expect(findOutcome(rival, theirs, { ...alone, acknowledged: [intent('a', 'bot a')] })).toMatchObject({
      result: { order: 5 },
    });
  });

  it('may be an order with an unknown comment, because brokers overwrite comments', () => {
    expect(findOutcome(intent('a', 'bot a'), broker(order(5, { comment: 'to #9' })), alone)).toMatchObject({
      result: { order: 5 },
    });
  });

  it.each([
    ['the same comment', 'bot', 'bot'],
    ['a comment that the broker overwrote', 'bot a', 'to #9'],
  ])('is undecidable if the order may be that of a send acknowledged without a ticket, with %s', (_case, own, seen) => {
    const around = { ...alone, acknowledged: [intent('b', own === 'bot' ? 'bot' : 'bot b')] };
    const seenOrder = (ticket: number): TradeOrder => order(ticket, { comment: seen });
    expect(findOutcome(intent('a', own), broker(seenOrder(5)), around)).toEqual({
      kind: 'undecidable',
      reason: 'order 5 matches, but may belong to another request, which was acknowledged without a ticket',
    });
    const two = broker(seenOrder(5), seenOrder(6));
    expect(findOutcome(intent('a', own), two, around)).toMatchObject({ result: { order: 5 } });
    expect(findOutcome(intent('a', own), two, { ...around, rivals: [intent('c', own)] })).toMatchObject({
      kind: 'contested',
      reason: expect.stringMatching(/order 5, order 6$/),
    });
  });

  it('is an order that leaves an older one for the send that was acknowledged before', () => {
    const earlier = { ...intent('b', 'bot'), serverTimeMsc: 500 };
    const around = { ...alone, acknowledged: [earlier] };
    const orders = broker(order(4, { comment: 'bot', time_setup_msc: 600 }), order(5, { comment: 'bot' }));
    expect(findOutcome(intent('a', 'bot'), orders, around)).toMatchObject({ result: { order: 5 } });
  });

  it('is certain with the tag of its key', () => {
    const tagged = intent('a', tagOfKey('a'));
    const around = { ...alone, underWay: [intent('b', tagOfKey('b'))], rivals: [intent('c', tagOfKey('c'))] };
    const found = findOutcome(tagged, broker(order(5, { comment: tagOfKey('a') })), around);
    expect(found).toMatchObject({ kind: 'done', result: { order: 5 } });
  });

  it('is certain with the tag of its key, although the clock of the server was set back by an hour since', () => {
    const comment = tagOfKey('a');
    const sent = { ...intent('a', comment), serverTimeMsc: 3_602_000 };
    expect(findOutcome(sent, broker(order(5, { comment })), alone)).toMatchObject({
      kind: 'done',
      result: { order: 5 },
    });
    // What had no effect may be of an earlier send of the key.
    const refused = broker(order(5, { comment, state: OrderState.REJECTED }));
    expect(findOutcome(sent, { ...refused, deals: [] }, alone)).toBe('nothing');
    expect(findOutcome({ ...sent, request }, broker(order(5)), alone)).toBe('nothing');
  });

  it('is undecided until the deal is visible and while the order is in flight', () => {
    expect(findOutcome(intent('a'), { ...broker(order(5)), deals: [] }, alone)).toBe('undecided');
    expect(findOutcome(intent('a'), broker(order(5, { state: OrderState.STARTED })), alone)).toBe('undecided');
  });

  it('is undecided while the history has not all deals of an order that was filled', () => {
    const half = { ...broker(order(5)), deals: [{ ...deal(5), volume: 0.04 }] };
    expect(findOutcome(intent('a'), half, alone)).toBe('undecided');
    // A row that states a rest is that of an order of which a part was filled, whatever its state.
    const withRest = { ...half, historyOrders: [order(5, { volume_current: 0.06 })] };
    expect(findOutcome(intent('a'), withRest, alone)).toMatchObject({ result: { volume: 0.04, retcode: 10010 } });
    const rest = { ...deal(5), ticket: 1_006, volume: 0.06 };
    expect(findOutcome(intent('a'), { ...half, deals: [...half.deals, rest] }, alone)).toMatchObject({
      kind: 'done',
      result: { volume: 0.1, retcode: 10009 },
    });
  });

  it('is absent if the broker rejected its order', () => {
    const refused = { ...broker(order(5, { state: OrderState.REJECTED })), deals: [] };
    expect(findOutcome(intent('a'), refused, alone)).toEqual({ kind: 'absent' });
  });
});

describe('the outcome of a lost cancellation', () => {
  const cancel: IntentRecord = {
    ...{ ...intent('a'), purpose: 'cancel' },
    request: tradeRequest({ action: 8, order: 5 }),
  };
  const outcomeOf = (lists: Partial<BrokerSnapshot>) => findOutcome(cancel, { ...broker(), ...lists }, alone);
  const placed = order(5, { state: OrderState.PLACED });

  it.each<[string, number, object]>([
    ['cancelled', OrderState.CANCELED, { kind: 'done', result: { order: 5 } }],
    ['filled', OrderState.FILLED, { kind: 'absent' }],
    ['expired', OrderState.EXPIRED, { kind: 'absent' }],
  ])(
    'is that of the end of an order that was %s, whatever the list of orders goes on to show',
    (_end, state, outcome) => {
      const historyOrders = [order(5, { state })];
      expect(outcomeOf({ historyOrders })).toMatchObject(outcome);
      expect(outcomeOf({ historyOrders, orders: [placed] })).toMatchObject(outcome);
    },
  );

  it('is that nothing was done while the order is pending, and not known while its end is not loaded', () => {
    expect(outcomeOf({ orders: [placed] })).toBe('nothing');
    expect(outcomeOf({ historyOrders: [order(5, { state: OrderState.STARTED })] })).toBe('undecided');
    expect(outcomeOf({})).toMatchObject({ kind: 'undecidable' });
  });
});
