import { OrderState, OrderType } from '@libs/trade-constants';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import type { CoreEventBody } from './core-event';
import type { IntentRecord } from './records';
import { undisturbed } from './risk';
import { CoreRig, deal, kinds, orderRow, pending, position, row } from './testing/core-rig';

const halt = { kind: 'persistent', reason: 'enough', atMs: 0 } as const;
const quotes = { eur: { timeMs: 0, bid: 1.0999, ask: 1.1 } };

describe('positions that the strategy did not open', () => {
  const external = { type: 'external', broker: 'demo', positions: [{ ticket: 9, symbol: 'EURUSD' }] } as const;

  it('halt it, or become its own', () => {
    const reason = 'positions under magic 7 that the strategy did not open: 9';
    const rig = new CoreRig([]);
    expect(rig.does(external)).toMatchObject([
      { type: 'persist', change: { strategy: { halt: { kind: 'persistent', reason, atMs: 5 } } } },
      { type: 'halted', halt: { kind: 'persistent', reason, atMs: 5 } },
    ]);
    expect(rig.does(external)).toEqual([]);
    const adopting = new CoreRig([], {}, { onMismatch: 'adopt' });
    const tickets = [{ ticket: 9, stream: 'eur', intentId: null, closed: false }];
    expect(adopting.does(external)).toMatchObject([
      { type: 'adopted', tickets },
      { type: 'persist', change: { tickets } },
    ]);
    expect(adopting.core.state.book.owns('demo', 9)).toBe(true);
  });

  it('wait while a request is in flight, which may have opened them', () => {
    const rig = new CoreRig([]);
    const intent = { id: 'i1', action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1 } } as const;
    rig.does({ type: 'intent', intent, circumstances: undisturbed, key: 'k1' });
    expect(rig.does(external)).toEqual([]);
  });
});

describe('an order that no longer waits', () => {
  const order = (state: number, left: number, position_id = 0) => ({
    ...{ state, position_id, volume_initial: 0.1, volume_current: left },
  });
  const ended = (of: ReturnType<typeof order>, owner: string | null = null, isHedging = true): CoreEventBody => ({
    ...{ type: 'order', broker: 'demo', ticket: 8, order: of, owner, isHedging },
  });

  it('ends its ticket, and is gone for the strategy', () => {
    expect(new CoreRig([pending(8)]).does(ended(order(OrderState.EXPIRED, 0.1)))).toMatchObject([
      { type: 'persist', change: { tickets: [{ ticket: 8, working: false, closed: true }] } },
      { type: 'gone', gone: { order: 8, kind: 'expired', volume: 0.1, filled: 0 } },
    ]);
  });

  it('changes nothing while it waits, is not known, or belongs to nothing of the strategy', () => {
    const rig = new CoreRig([pending(8)]);
    expect(rig.does(ended(order(OrderState.PLACED, 0.1)))).toEqual([]);
    expect(rig.does({ ...ended(order(OrderState.FILLED, 0)), order: null } as CoreEventBody)).toEqual([]);
    expect(new CoreRig([]).does(ended(order(OrderState.CANCELED, 0.1)))).toEqual([]);
  });

  it('is read again after its deals, and not while the account lists it', () => {
    const read: CoreEventBody = { type: 'deals', broker: 'demo', ticket: 8, deals: [], follows: null };
    const rig = new CoreRig([pending(8)]);
    expect(rig.does(read)).toEqual([{ type: 'read order', broker: 'demo', ticket: 8 }]);
    rig.sees([], [orderRow(8)]);
    expect(rig.does(read)).toEqual([]);
    expect(new CoreRig([]).does(read)).toEqual([]);
  });

  it('is followed into a position of the strategy', () => {
    const rig = new CoreRig([pending(8), position(3)]);
    expect(rig.does(ended(order(OrderState.FILLED, 0, 3), 'ema', false))).toMatchObject([
      { type: 'persist', change: { tickets: [{ ticket: 8, working: false, closed: true }] } },
      { type: 'read deals', broker: 'demo', ticket: 3, follows: { ticket: 8, intentId: 'i8' } },
    ]);
  });

  it('halts the strategy when it filled into the position of another one', () => {
    const effects = new CoreRig([pending(8)]).does(ended(order(OrderState.FILLED, 0, 3), 'other', false));
    expect(kinds(effects)).toEqual(['persist', 'persist', 'halted', 'read deals']);
    const adopting = new CoreRig([pending(8)], {}, { onMismatch: 'adopt' });
    expect(kinds(adopting.does(ended(order(OrderState.FILLED, 0, 3), 'other', false)))).toEqual([
      ...['persist', 'warn', 'read deals'],
    ]);
  });

  it('takes a position that no strategy owns, with the deals of before it', () => {
    const rig = new CoreRig([pending(8)]);
    const filled = order(OrderState.FILLED, 0, 3);
    expect(rig.does(ended(filled, null, false))).toEqual([
      { type: 'read external deals', broker: 'demo', ticket: 8, order: filled, position: 3 },
    ]);
    const deals = [
      deal({ ticket: 50, order: 2, position_id: 3, volume: 0.2 }),
      deal({ ticket: 51, position_id: 3, time_msc: 1 }),
    ];
    const shown = { type: 'external deals', broker: 'demo', ticket: 8, order: filled, position: 3 } as const;
    expect(rig.does({ ...shown, deals: deals.slice(0, 1) })).toEqual([]);
    const effects = rig.does({ ...shown, deals });
    expect(effects).toMatchObject([
      {
        change: {
          tickets: [
            { ticket: 8, closed: true },
            { ticket: 3, deals: [50], volumeIn: '0.2', working: false },
          ],
        },
      },
      { type: 'persist', change: { strategy: { halt: { kind: 'persistent' } } } },
      { type: 'halted' },
      { type: 'read deals', broker: 'demo', ticket: 3, follows: { ticket: 8, intentId: 'i8' } },
    ]);
    expect(new CoreRig([]).does({ ...shown, deals })).toEqual([]);
  });
});

describe('the account of a strategy', () => {
  it('closes what a halt flattens, and cancels what waits, when it is seen', () => {
    const rig = new CoreRig([position(1), pending(2)], { halt: { ...halt, flattens: true } });
    rig.sees([row(1)], [orderRow(2)]);
    const reason = 'halted: enough';
    const cancel = {
      type: 'cancel',
      sweep: { intent: { id: 'sweep-2', action: 'cancel', order: 2, broker: 'demo' }, reason },
    };
    const intent = { id: 'flatten-1', action: 'close', position: 1, broker: 'demo', volume: null };
    const effects = rig.does({ type: 'account seen', marketMs: 0, quotes });
    expect(effects.slice(0, 2)).toEqual([cancel, { type: 'close', exit: { intent, reason } }]);
    expect(rig.does({ type: 'sweep', marketMs: 0, quotes })).toEqual([cancel]);
  });

  it('is flattened by the books while its gateway refuses it', () => {
    const rig = new CoreRig([position(1), pending(2)], { halt: { ...halt, flattens: true } });
    const unread = { type: 'account unread', marketMs: 0, quotes } as const;
    expect(kinds(rig.does({ ...unread, broker: 'demo' }))).toEqual(['cancel', 'close']);
    expect(rig.does({ ...unread, broker: 'live' })).toEqual([]);
  });

  it('is flattened on also after a halt that would only stop entries', () => {
    const rig = new CoreRig([], { halt: { ...halt, flattens: true } });
    const wanted = { kind: 'daily', reason: 'more', atMs: 5 } as const;
    expect(rig.does({ type: 'halt', kind: 'daily', reason: 'more' })).toMatchObject([
      { type: 'persist', change: { strategy: { halt: { ...wanted, flattens: true } } } },
      { type: 'halted', halt: { ...wanted, flattens: true } },
    ]);
    const byOperator = new CoreRig([]).does({
      type: 'halt',
      kind: 'daily',
      reason: 'more',
      flattens: true,
      byOperator: true,
    });
    expect(byOperator[1]).toEqual({ type: 'halted', halt: { ...wanted, flattens: true }, byOperator: true });
    expect(new CoreRig([]).does({ type: 'halt', kind: 'daily', reason: 'more' })[1]).toEqual({
      type: 'halted',
      halt: wanted,
    });
  });

  it('notes a stop-loss in place, and acts on its loss after it is noted', () => {
    const stop = { sl: 1.09, isSeen: false };
    const rig = new CoreRig([position(1, { stop })], {}, { onLostStop: 'close' });
    expect(rig.sees([row(1, { sl: 1.09 })])).toMatchObject([
      { type: 'persist', change: { tickets: [{ ticket: 1, stop: { sl: 1.09, isSeen: true } }] } },
    ]);
    expect(rig.sees([row(1)])).toEqual([]);
    const lost = [{ ticket: 1, expected: 1.09, actual: 0 }];
    const effects = rig.does({ type: 'lost stops', broker: 'demo', lost, digits: {} });
    expect(effects).toMatchObject([
      { type: 'persist', change: { tickets: [{ ticket: 1, stop: { sl: 1.09, isSeen: true, handled: 0 } }] } },
      {
        type: 'lost stop',
        action: { intent: { action: 'close', position: 1 }, reason: 'its stop-loss 1.09 was lost' },
      },
    ]);
    expect(effects[1]).not.toHaveProperty('action.noted');
  });

  it('halts at its limits on the equity, and its operator ends that', () => {
    const risk = { ...spec.risk, maxDailyLoss: 100 };
    const rig = new CoreRig([], {}, { risk });
    const marketMs = Date.UTC(2024, 0, 3);
    expect(rig.stores({ type: 'equity', equity: 10_000, marketMs })).toMatchObject([
      { strategy: { day: { date: '2024-01-03', equity: '10000' }, peakEquity: '10000', halt: null } },
    ]);
    expect(rig.does({ type: 'equity', equity: 10_000, marketMs })).toEqual([]);
    expect(rig.does({ type: 'equity', equity: 9_900, marketMs })).toMatchObject([
      { type: 'persist', change: { strategy: { halt: { kind: 'daily', atMs: 5 } } } },
      { type: 'halted', halt: { kind: 'daily' } },
    ]);
    expect(rig.does({ type: 'resume' })).toMatchObject([
      { type: 'resumed' },
      { type: 'persist', change: { strategy: { halt: null } } },
    ]);
  });

  it('goes on under another configuration', () => {
    const rig = new CoreRig([]);
    const changed = { ...spec, risk: { ...spec.risk, maxVolume: 5 } };
    rig.does({ type: 'respec', spec: changed });
    expect(rig.core.state.book.spec).toBe(changed);
    expect(rig.does({ type: 'respec', spec: changed })).toEqual([]);
    expect(rig.stores({ type: 'respec', spec: { ...changed, capital: 20_000 } })).toMatchObject([
      { strategy: { capital: 20_000 } },
    ]);
  });
});

describe('deals', () => {
  const booking = (deals: Parameters<typeof deal>[0][], follows: { ticket: number; intentId: string } | null = null) =>
    ({
      type: 'deals',
      broker: 'demo',
      ticket: 1,
      deals: deals.map((of) => deal({ position_id: 1, ...of })),
      follows,
    }) as const;

  it('of an order that filled into a position have the intent of that order', () => {
    const rig = new CoreRig([position(1)]);
    rig.sees([row(1, { volume: 0.2 })]);
    expect(rig.does(booking([{ ticket: 50, order: 8 }], { ticket: 8, intentId: 'i8' }))).toMatchObject([
      { type: 'persist', change: { tickets: [{ ticket: 1, volumeIn: '0.2' }] } },
      { type: 'filled', fills: [{ deal: 50, intentId: 'i8' }] },
    ]);
    expect(rig.does(booking([{ ticket: 51, order: 9 }], { ticket: 8, intentId: 'i8' }))).toMatchObject([
      ...[{ type: 'persist' }, { type: 'filled', fills: [{ deal: 51, intentId: null }] }],
    ]);
  });

  it('of a position that the strategy does not own are not its own', () => {
    expect(new CoreRig([]).does(booking([{ ticket: 50 }]))).toEqual([]);
  });

  it('of a ticket without any let its order be read, also if it does not wait by the books', () => {
    const rig = new CoreRig([position(1, { deals: [], volumeIn: '0' })]);
    expect(rig.does(booking([]))).toEqual([{ type: 'read order', broker: 'demo', ticket: 1 }]);
    expect(new CoreRig([position(1)]).does(booking([]))).toEqual([]);
  });
});

describe('the equity', () => {
  it('sets no baseline for the day, and is compared with none, before the account is known', () => {
    const rig = new CoreRig([position(1)], {}, { risk: { ...spec.risk, maxDailyLoss: 100 } });
    const seen = { type: 'account seen', marketMs: 0, quotes } as const;
    expect(rig.does(seen)).toEqual([]);
    rig.sees([row(1)]);
    expect(rig.stores(seen)).toMatchObject([{ strategy: { day: { date: '1970-01-01', equity: '10000' } } }]);
    expect(rig.does({ type: 'equity', equity: 10_001, marketMs: 0 })).toMatchObject([
      { type: 'persist', change: { strategy: { peakEquity: '10001', halt: null } } },
    ]);
  });
});

describe('orders of a group', () => {
  const group = { oco: 'g' };
  const fills = (ticket: number, order: number): CoreEventBody => ({
    ...{ type: 'deals', broker: 'demo', ticket, follows: null },
    deals: [deal({ ticket: 100 + order, order, position_id: ticket })],
  });

  it('are cancelled once one of them filled, which is stored with its booking', () => {
    const rig = new CoreRig([pending(8, group), pending(9, group), pending(10)]);
    rig.sees([row(8)], [orderRow(9), orderRow(10)]);
    const effects = rig.does(fills(8, 8));
    expect(effects).toMatchObject([
      { change: { strategy: { filledOco: [{ group: 'g', broker: 'demo', ticket: 8 }] }, tickets: [{ ticket: 8 }] } },
      { type: 'filled', fills: [{ intentId: 'i8', deal: 108 }] },
      { type: 'cancel', sweep: { intent: { order: 9 } } },
      { type: 'read order', ticket: 8 },
    ]);
    rig.sees([row(8), row(9)], []);
    expect(rig.does(fills(9, 9))).toMatchObject([
      { type: 'persist' },
      { type: 'filled' },
      { type: 'warn', reason: 'order 9 filled after order 8 of the same group: both positions stay open' },
      { type: 'read order', ticket: 9 },
    ]);
  });
});

describe('what the strategy sees of its positions and orders', () => {
  it('is what the account shows, with what the books know of it', () => {
    const trail = { intentId: 't', side: 'sell', distance: 0.01, step: 0.001, activateAt: null } as const;
    const rig = new CoreRig([
      position(1, { side: 'sell', tag: 'a', trail }),
      position(4),
      pending(2, { expiresMs: 9 }),
      pending(3, { tag: 'b' }),
      pending(5),
    ]);
    const swapped = { type: 1, sl: 1.2, tp: 1, profit: 3, swap: -1, time_utc: '2024-01-03T00:00:00.000Z' };
    rig.sees(
      [row(1, swapped), row(4)],
      [
        orderRow(2, { type: OrderType.SELL_STOP_LIMIT, price_stoplimit: 1.06 }),
        orderRow(3, { type: OrderType.BUY_STOP }),
        orderRow(5),
      ],
    );
    const { book } = rig.core.state;
    const common = { stream: 'eur', broker: 'demo', symbol: 'EURUSD', volume: 0.1 };
    expect(book.positions).toEqual([
      {
        ...{
          ...common,
          ticket: 1,
          intentId: 'i1',
          tag: 'a',
          side: 'sell',
          avgPrice: 1.1,
          sl: 1.2,
          tp: 1,
          unrealized: 2,
        },
        ...{ trail: { distance: 0.01, step: 0.001, activateAt: null }, openedAtMs: Date.UTC(2024, 0, 3) },
      },
      {
        ...{ ...common, ticket: 4, intentId: 'i4', tag: null, side: 'buy', avgPrice: 1.1, sl: 0, tp: 0, unrealized: 0 },
        ...{ trail: null, openedAtMs: null },
      },
    ]);
    const waiting = { ...common, price: 1.05, stoplimit: 0, sl: 1.04, tp: 1.2, tag: null, expirationMs: null };
    expect(book.orders).toEqual([
      { ...waiting, ticket: 2, intentId: 'i2', side: 'sell', kind: 'stop_limit', stoplimit: 1.06, expirationMs: 9 },
      { ...waiting, ticket: 3, intentId: 'i3', side: 'buy', kind: 'stop', tag: 'b' },
      { ...waiting, ticket: 5, intentId: 'i5', side: 'buy', kind: 'limit' },
    ]);
    expect([book.hasWorkingOrders('demo'), book.hasWorkingOrders('live')]).toEqual([true, false]);
  });
});

describe('requests of an earlier start', () => {
  const record = (key: string, createdAtMs: number, broker = 'demo'): IntentRecord => ({
    ...{ key, strategy: 'ema', broker, intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: 1, journalId: 'A' },
    ...{ call: { method: 'POST', path: '/close_position', body: { position: { ticket: 1 } } }, isEntry: false },
    ...{ createdAtMs, state: 'open', outcome: null },
  });

  it('are taken up in the order of their creation', () => {
    const rig = new CoreRig([position(1)]);
    rig.does({ type: 'taken up', records: [record('b', 2), record('c', 3), record('a', 1)] });
    expect(rig.core.state.requests.requests.map((life) => life.record.key)).toEqual(['a', 'b', 'c']);
  });

  it('are held, and nothing is sent, while their gateway is not configured', () => {
    const effects = new CoreRig([position(1)]).does({ type: 'taken up', records: [record('a', 1, 'live')] });
    const reason = 'gateway live is not configured: configure it again, or settle the request';
    expect(effects[0]).toMatchObject({ type: 'notice', notice: { type: 'held', reason }, record: { key: 'a' } });
    expect(kinds(effects)).not.toContain('submit');
  });
});

describe('an intent for a gateway that is not configured', () => {
  it('is denied', () => {
    const intent = { id: 'c1', action: 'close', position: 1, broker: 'live', volume: null } as const;
    const rig = new CoreRig([position(1, { broker: 'live' })]);
    rig.does({ type: 'rows', broker: 'live', rows: new AccountRows([row(1)], []) });
    expect(rig.does({ type: 'intent', intent, circumstances: null, key: 'k' })).toMatchObject([
      { type: 'denied', reject: { intentId: 'c1', reason: 'gateway live is not configured' } },
    ]);
  });
});
