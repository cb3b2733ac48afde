import { VirtualClock } from '@libs/clock';
import {
  type AccountChange,
  CopyTicks,
  OrderState,
  OrderType,
  PositionType,
  Retcode,
  Timeframe,
  TradeAction,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Simulator } from '../simulator';
import { RunningSimulator, symbolLike, testOptions, TUESDAY } from '../testing/running-simulator';
import type { Fault } from './fault';
import { parseFault } from './parse-fault';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.101, 1.1011],
  [2_000, 1.102, 1.1021],
] as const;
const buy = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 });
const ever = { from: 0, to: 1e11 };

interface Lists {
  readonly positions: TradePosition[];
  readonly orders: TradeOrder[];
  readonly historyOrders: TradeOrder[];
  readonly deals: TradeDeal[];
}

async function listsOf(client: TerminalClient): Promise<Lists> {
  return {
    positions: await client.positionsGet(),
    orders: await client.ordersGet(),
    historyOrders: await client.historyOrdersGet(ever),
    deals: await client.historyDealsGet(ever),
  };
}

/** Two positions and an order, with a magic and a comment. */
async function traded(): Promise<RunningSimulator> {
  const sim = await RunningSimulator.scripted(quotes);
  const fields = { magic: 7, comment: 'a comment of twenty-nine lett' };
  await sim.buy(0.1, fields);
  await sim.buy(0.2, fields);
  await sim.place(OrderType.BUY_LIMIT, 1.05, fields);
  return sim;
}

const every = ({ positions, orders, historyOrders, deals }: Lists): (TradePosition | TradeOrder | TradeDeal)[] => [
  ...positions,
  ...orders,
  ...historyOrders,
  ...deals,
];
const sizes = ({ positions, orders, historyOrders, deals }: Lists): number[] => [
  positions.length,
  orders.length,
  historyOrders.length,
  deals.length,
];

describe('a terminal that lost its server', () => {
  it('shows the account, its lists and its quotes as they were, and says that it is not connected', async () => {
    const sim = await traded();
    const { client, clock, simulator } = sim;
    const before = { lists: await listsOf(client), account: await client.accountInfo() };
    const [tick, symbol] = [await client.symbolInfoTick('EURUSD'), await client.symbolInfo('EURUSD')];
    simulator.faults.set({ kind: 'server-lost' });
    await clock.advance(1_000);
    expect(await client.terminalInfo()).toMatchObject({ connected: false });
    expect({ lists: await listsOf(client), account: await client.accountInfo() }).toEqual(before);
    expect(await client.symbolInfoTick('EURUSD')).toEqual(tick);
    expect(await client.ticks(['EURUSD'])).toEqual([tick]);
    expect(await client.symbolInfo('EURUSD')).toEqual(symbol);
    expect((await client.symbolsGet('EURUSD'))[0]).toEqual(symbol);
    const ticks = await client.copyTicksRange('EURUSD', 0, TUESDAY * 2, CopyTicks.ALL);
    expect(ticks?.time).toHaveLength(1);
    expect((await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 1))?.close[0]).toBe(1.1);
    simulator.faults.clear();
    expect(await client.terminalInfo()).toMatchObject({ connected: true });
    expect(await client.symbolInfoTick('EURUSD')).toMatchObject({ bid: 1.101 });
    expect((await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 1))?.close[0]).toBe(1.101);
    expect(await client.accountInfo()).not.toEqual(before.account);
  });

  it('answers sends with 10031 and does nothing', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'server-lost' });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.CONNECTION, comment: 'No connection', order: 0 });
    sim.simulator.faults.clear();
    expect(await sim.client.positionsGet()).toHaveLength(2);
  });

  it('answers with 10031 what was done all the same, and shows it when the server is back', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'server-lost', acts: true });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.CONNECTION, order: 0, deal: 0 });
    expect(await sim.client.positionsGet()).toHaveLength(2);
    sim.simulator.faults.clear();
    expect(await sim.client.positionsGet()).toHaveLength(3);
  });

  it('leaves the server to close what reaches its level', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1, { tp: 1.1015 });
    sim.simulator.faults.set({ kind: 'server-lost' });
    await sim.clock.advance(2_000);
    expect(await sim.client.positionsGet()).toHaveLength(1);
    sim.simulator.faults.clear();
    expect(await sim.client.positionsGet()).toEqual([]);
  });
});

describe('a frozen account', () => {
  it('stays as it was on a connected terminal, while sends and quotes go on', async () => {
    const sim = await traded();
    const { client, clock, simulator } = sim;
    const before = { lists: await listsOf(client), account: await client.accountInfo() };
    const [position] = before.lists.positions;
    const [order] = before.lists.orders;
    simulator.faults.set({ kind: 'frozen-account' });
    await clock.advance(1_000);
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE, price: 1.1011 });
    if (!position || !order) throw new Error('nothing was traded');
    expect((await sim.close(position)).retcode).toBe(Retcode.DONE);
    expect((await sim.send({ action: TradeAction.REMOVE, order: order.ticket })).retcode).toBe(Retcode.DONE);
    expect({ lists: await listsOf(client), account: await client.accountInfo() }).toEqual(before);
    expect(await client.positionsGet({ ticket: position.ticket })).toEqual([position]);
    expect(await client.historyOrdersGet({ ticket: order.ticket })).toEqual([]);
    expect(await client.terminalInfo()).toMatchObject({ connected: true });
    expect(await client.symbolInfoTick('EURUSD')).toMatchObject({ bid: 1.101 });
    simulator.faults.clear();
    expect(sizes(await listsOf(client))).toEqual([2, 0, 5, 5]);
  });

  it('is that of the latest setting', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'frozen-account' });
    await sim.buy(0.1);
    expect(await sim.client.positionsGet()).toHaveLength(2);
    sim.simulator.faults.set({ kind: 'frozen-account' });
    expect(await sim.client.positionsGet()).toHaveLength(3);
  });
});

describe('what is set before the simulator runs', () => {
  it('begins with the first read', async () => {
    const clock = new VirtualClock(TUESDAY);
    const simulator = new Simulator(testOptions(), clock);
    simulator.faults.set({ kind: 'server-lost' });
    simulator.faults.set({ kind: 'lists-not-loaded', shows: 'empty', ms: 500, lists: ['deals'] });
    await simulator.start();
    simulator.loginByHand();
    const client = simulator.connect();
    await client.connect();
    const tick = await client.symbolInfoTick('EURUSD');
    expect(await client.historyDealsGet(ever)).toEqual([]);
    await clock.advance(60_000);
    expect(await client.symbolInfoTick('EURUSD')).toEqual(tick);
    expect(await client.historyDealsGet(ever)).toHaveLength(1);
  });
});

describe('lists that are not loaded', () => {
  it('are empty for a while, next to a true account', async () => {
    const sim = await traded();
    const account = await sim.client.accountInfo();
    sim.simulator.faults.set({ kind: 'lists-not-loaded', shows: 'empty', ms: 500 });
    expect(sizes(await listsOf(sim.client))).toEqual([0, 0, 0, 0]);
    expect(await sim.client.accountInfo()).toEqual(account);
    await sim.clock.advance(499);
    expect(await sim.client.positionsGet()).toEqual([]);
    await sim.clock.advance(1);
    expect(sizes(await listsOf(sim.client))).toEqual([2, 1, 2, 3]);
  });

  it('have half of their rows, some of the lists, until it is cleared', async () => {
    const sim = await traded();
    const [first, second] = await sim.client.positionsGet();
    sim.simulator.faults.set({ kind: 'lists-not-loaded', shows: 'half', lists: ['positions', 'deals'] });
    await sim.clock.advance(500);
    expect(sizes(await listsOf(sim.client))).toEqual([1, 1, 2, 1]);
    // A position that is loaded is found by its ticket too, and another is not.
    expect(await sim.client.positionsGet({ ticket: first?.ticket ?? 0 })).toEqual([first]);
    expect(await sim.client.positionsGet({ ticket: second?.ticket ?? 0 })).toEqual([]);
    sim.simulator.faults.clear('lists-not-loaded');
    expect(sizes(await listsOf(sim.client))).toEqual([2, 1, 2, 3]);
  });
});

describe('lists that are not loaded in this session', () => {
  it('are whole in the next one', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'lists-not-loaded', shows: 'empty', untilSession: true });
    await sim.clock.advance(60_000);
    expect(await sim.client.positionsGet()).toEqual([]);
    await sim.client.shutdown();
    await sim.client.connect();
    expect(await sim.client.positionsGet()).toHaveLength(2);
    expect(sim.simulator.faults.list()).toEqual([]);
  });
});

describe('the start of a session', () => {
  const started = async (shows: 'old' | 'empty' | 'parts'): Promise<RunningSimulator> => {
    const sim = await traded();
    const { client, simulator } = sim;
    simulator.faults.set({ kind: 'session-start', shows, ms: 1_000 });
    await client.shutdown();
    const other = simulator.connect();
    await other.connect();
    await other.orderSend(sealRequest('meanwhile', buy));
    await client.connect();
    return sim;
  };

  it('shows the lists of the last session first', async () => {
    const { client, clock } = await started('old');
    expect(sizes(await listsOf(client))).toEqual([2, 1, 2, 3]);
    await clock.advance(1_000);
    expect(sizes(await listsOf(client))).toEqual([3, 1, 3, 4]);
  });

  it('shows empty lists first', async () => {
    const { client, clock } = await started('empty');
    expect(sizes(await listsOf(client))).toEqual([0, 0, 0, 0]);
    await clock.advance(1_000);
    expect(sizes(await listsOf(client))).toEqual([3, 1, 3, 4]);
  });

  it('shows lists that come in parts', async () => {
    const { client, clock } = await started('parts');
    expect(sizes(await listsOf(client))).toEqual([0, 0, 0, 0]);
    await clock.advance(500);
    expect(sizes(await listsOf(client))).toEqual([1, 0, 1, 2]);
    await clock.advance(500);
    expect(sizes(await listsOf(client))).toEqual([3, 1, 3, 4]);
  });
});

describe('lists that are late', () => {
  it('show what came and what went by their own time', async () => {
    const sim = await traded();
    const { client, clock, simulator } = sim;
    simulator.faults.set({ kind: 'late-lists', positionsMs: 1_000, ordersMs: 500, dealsMs: 200 });
    const [first] = await client.positionsGet();
    const [order] = await client.ordersGet();
    if (!first || !order) throw new Error('nothing was traded');
    await clock.advance(1);
    await sim.buy(0.3);
    await sim.close(first);
    await sim.send({ action: TradeAction.REMOVE, order: order.ticket });
    expect(sizes(await listsOf(client))).toEqual([2, 1, 5, 3]);
    await clock.advance(200);
    expect(sizes(await listsOf(client))).toEqual([2, 1, 5, 5]);
    await clock.advance(300);
    expect(sizes(await listsOf(client))).toEqual([2, 0, 5, 5]);
    expect((await client.positionsGet({ ticket: first.ticket }))[0]?.ticket).toBe(first.ticket);
    await clock.advance(500);
    expect((await client.positionsGet()).map(({ volume }) => volume)).toEqual([0.2, 0.3]);
  });

  it('have present prices in what stands', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'late-lists', positionsMs: 60_000 });
    const profits = async (): Promise<number[]> => (await sim.client.positionsGet()).map(({ profit }) => profit);
    const before = await profits();
    await sim.clock.advance(1_000);
    expect(await profits()).not.toEqual(before);
  });
});

describe('a broker that changes levels', () => {
  it.each([
    [{ points: 10 }, [1.0912, 1.1204], 1.0913],
    [{ points: 3, moved: true }, [1.09126, 1.12042], 1.09133],
  ])('keeps others than those that it was sent: %j', async (how, [sl, tp], changed) => {
    const sim = await RunningSimulator.scripted(quotes);
    sim.simulator.faults.set({ kind: 'levels', ...how });
    const { order } = await sim.buy(0.1, { sl: 1.09123, tp: 1.12039 });
    expect(await sim.position()).toMatchObject({ sl, tp });
    await sim.send({ action: TradeAction.SLTP, position: order, sl: 1.0913 });
    expect(await sim.position()).toMatchObject({ sl: changed, tp: 0 });
  });
});

describe('a broker that replaces orders', () => {
  it('cancels the one that is changed, and has another one with the new values', async () => {
    const sim = await traded();
    const [order] = await sim.client.ordersGet();
    if (!order) throw new Error('nothing was placed');
    sim.simulator.faults.set({ kind: 'replaced-orders' });
    const changed = await sim.send({ action: TradeAction.MODIFY, order: order.ticket, price: 1.04 });
    expect(changed).toMatchObject({ retcode: Retcode.DONE, order: expect.any(Number) });
    expect(changed.order).not.toBe(order.ticket);
    const { magic, comment, volume_initial } = order;
    expect(await sim.client.ordersGet()).toMatchObject([
      { ticket: changed.order, price_open: 1.04, magic, comment, volume_initial },
    ]);
    expect(await sim.client.historyOrdersGet({ ticket: order.ticket })).toMatchObject([
      { state: OrderState.CANCELED, price_open: 1.05 },
    ]);
  });
});

describe('a habit of a broker', () => {
  it('leaves a gap in the history', async () => {
    const sim = await traded();
    await sim.clock.advance(2_000);
    const [position] = await sim.client.positionsGet();
    if (!position) throw new Error('nothing was traded');
    await sim.close(position);
    sim.simulator.faults.set({ kind: 'history-gap', seconds: 1 });
    expect(sizes(await listsOf(sim.client))).toEqual([1, 1, 2, 3]);
    await sim.clock.advance(100);
    await sim.buy(0.1);
    expect(sizes(await listsOf(sim.client))).toEqual([2, 1, 3, 4]);
  });

  it('shows magic 0 in what came of pending orders', async () => {
    const sim = await traded();
    const stop = await sim.place(OrderType.BUY_STOP, 1.1015, { magic: 7 });
    await sim.clock.advance(2_000);
    sim.simulator.faults.set({ kind: 'magic-zero', fills: true });
    const { positions, orders, historyOrders, deals } = await listsOf(sim.client);
    expect(positions.map(({ magic }) => magic)).toEqual([7, 7, 0]);
    expect([...orders, ...historyOrders].map(({ magic }) => magic)).toEqual([7, 7, 7, 7]);
    expect(deals.filter(({ magic }) => magic === 0).map(({ order }) => order)).toEqual([0, stop.order]);
  });

  it.each([
    ['orders', [2, 1, 0, 3]],
    ['deals', [2, 1, 2, 0]],
    ['all', [2, 1, 0, 0]],
  ] as const)('keeps no %s in the history', async (what, shown) => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'history-lacks', what });
    expect(sizes(await listsOf(sim.client))).toEqual(shown);
  });

  it.each([
    ['empty', ''],
    ['cut', 'a comment of twe'],
    ['[auto]', '[auto]'],
  ])('shows comments as %s', async (to, comment) => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'comments', to });
    const { positions, orders, historyOrders, deals } = await listsOf(sim.client);
    const rows = [...positions, ...orders, ...historyOrders, ...deals.slice(1)];
    expect(rows.map((row) => row.comment)).toEqual(rows.map(() => comment));
  });

  it('sets the times of trades off, and finds them by these times', async () => {
    const sim = await traded();
    const before = await listsOf(sim.client);
    sim.simulator.faults.set({ kind: 'trade-clock', seconds: -3_600 });
    const { positions, orders, historyOrders, deals } = await listsOf(sim.client);
    const ago = (time = 0): number => time - 3_600;
    const agoMsc = (msc = 0): number => msc - 3_600_000;
    const [position, order, done, deal] = [
      before.positions[0],
      before.orders[0],
      before.historyOrders[0],
      before.deals[1],
    ];
    expect(positions[0]).toMatchObject({ time: ago(position?.time), time_msc: agoMsc(position?.time_msc) });
    expect(positions[0]).toMatchObject({
      time_update: ago(position?.time_update),
      time_update_msc: agoMsc(position?.time_update_msc),
    });
    expect(orders[0]).toMatchObject({ time_setup: ago(order?.time_setup), time_done: 0, time_done_msc: 0 });
    expect(historyOrders[0]).toMatchObject({
      time_done: ago(done?.time_done),
      time_done_msc: agoMsc(done?.time_done_msc),
    });
    expect(deals[1]).toMatchObject({ time: ago(deal?.time), time_msc: agoMsc(deal?.time_msc) });
    const shownAt = ago(deal?.time);
    expect(await sim.client.historyDealsGet({ from: shownAt, to: shownAt })).toHaveLength(deals.length);
    expect(await sim.client.historyDealsGet({ from: shownAt + 1, to: 1e11 })).toEqual([]);
  });

  it('gives every row a reason', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'reasons', reason: 1 });
    expect(new Set(every(await listsOf(sim.client)).map(({ reason }) => reason))).toEqual(new Set([1]));
  });

  it('shows magic 0', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'magic-zero' });
    expect(new Set(every(await listsOf(sim.client)).map(({ magic }) => magic))).toEqual(new Set([0]));
  });

  it('leaves noise in volumes and prices', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'float-noise' });
    const { positions, orders, historyOrders, deals } = await listsOf(sim.client);
    expect(positions[0]?.volume).toBe(0.1 + 1e-9);
    expect(orders[0]).toMatchObject({ volume_initial: 0.1 + 1e-9, volume_current: 0.1 + 1e-9 });
    expect(historyOrders[0]).toMatchObject({ volume_initial: 0.1 + 1e-9, volume_current: 0 });
    expect(deals.map(({ volume }) => volume)).toEqual([0, 0.1 + 1e-9, 0.2 + 1e-9]);
    expect(deals.map(({ price }) => price)).toEqual([0, 1.1001 + 1e-9, 1.1001 + 1e-9]);
    expect(orders[0]).toMatchObject({ price_open: 1.05 + 1e-9, sl: 0, price_stoplimit: 0 });
  });

  it('lists every row twice', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'rows-twice' });
    expect((await sim.client.positionsGet()).map(({ volume }) => volume)).toEqual([0.1, 0.1, 0.2, 0.2]);
    expect(sizes(await listsOf(sim.client))).toEqual([4, 2, 4, 6]);
  });

  it('lists the last row first', async () => {
    const sim = await traded();
    const before = await listsOf(sim.client);
    sim.simulator.faults.set({ kind: 'rows-reversed' });
    const { positions, deals } = await listsOf(sim.client);
    expect(positions).toEqual([...before.positions].reverse());
    expect(deals).toEqual([...before.deals].reverse());
  });
});

describe('a terminal whose lists flicker', () => {
  it.each([
    ['empty', [0, 2, 2, 0]],
    ['half', [1, 2, 2, 1]],
  ] as const)('answers each third read of a list %s, and the others as they are', async (shows, expected) => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'flickering-lists', shows, every: 3, lists: ['positions'] });
    const read: number[] = [];
    for (let reads = 0; reads < 4; reads++) read.push((await sim.client.positionsGet()).length);
    expect(read).toEqual(expected);
    expect(await sim.client.ordersGet()).toHaveLength(1);
  });
});

describe('a broker that completes what was done later', () => {
  it('shows costs in a deal and in the balance only after their time', async () => {
    const charged = symbolLike('EURUSD', { market: { commission: { perLot: 3, charged: 'both' } } });
    const sim = await RunningSimulator.scripted(quotes, { symbols: [charged] });
    sim.simulator.faults.set({ kind: 'late-costs', ms: 1_000 });
    const before = await sim.balance();
    await sim.clock.advance(1);
    await sim.buy(0.1);
    expect((await sim.deals()).at(-1)?.commission).toBeCloseTo(0);
    expect(await sim.balance()).toBe(before);
    await sim.clock.advance(1_000);
    expect((await sim.deals()).at(-1)?.commission).toBe(-0.3);
    expect(await sim.client.accountInfo()).toMatchObject({ balance: before - 0.3 });
  });

  it('counts a deal in the balance only after its time, while the lists have it', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1);
    const { ticket } = await sim.position();
    const before = await sim.balance();
    await sim.clock.advance(1_000);
    sim.simulator.faults.set({ kind: 'late-balance', ms: 1_000 });
    await sim.send({ ...buy, type: OrderType.SELL, position: ticket });
    const { profit = 0 } = (await sim.deals()).at(-1) ?? {};
    expect([profit, await sim.balance()]).toEqual([9, before]);
    await sim.clock.advance(1_000);
    expect(await sim.balance()).toBe(before + 9);
  });

  it('has a row more after the start of a session, which never was', async () => {
    const { client, simulator, clock } = await traded();
    const before = await listsOf(client);
    simulator.faults.set({ kind: 'passing-rows', ms: 1_000 });
    expect(await listsOf(client)).toMatchObject({ positions: [{}, {}, {}], orders: [{}, {}] });
    await clock.advance(1_000);
    const after = await listsOf(client);
    const tickets = (rows: readonly { readonly ticket: number }[]): number[] => rows.map(({ ticket }) => ticket);
    expect([tickets(after.positions), tickets(after.orders)]).toEqual([
      tickets(before.positions),
      tickets(before.orders),
    ]);
  });

  it('names the position of an order and of a deal only after their time, also to who asks for that position', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    sim.simulator.faults.set({ kind: 'late-position-ids', ms: 1_000 });
    await sim.clock.advance(1);
    await sim.buy(0.1);
    const { identifier } = await sim.position();
    const found = async (): Promise<number[]> => {
      const [order] = await sim.client.historyOrdersGet(ever);
      const ofPosition = await sim.client.historyDealsGet({ position: identifier });
      return [(await sim.deals()).at(-1)?.position_id ?? -1, order?.position_id ?? -1, ofPosition.length];
    };
    expect(await found()).toEqual([0, 0, 0]);
    await sim.clock.advance(1_000);
    expect(await found()).toEqual([identifier, identifier, 1]);
  });

  it('shows an older price and profit in positions than in the account', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1);
    sim.simulator.faults.set({ kind: 'late-profits', ms: 1_500 });
    const shown = async (): Promise<unknown[]> => {
      const { price_current, profit } = await sim.position();
      return [price_current, profit, (await sim.client.accountInfo())?.profit];
    };
    expect(await shown()).toEqual([1.1, -1, -1]);
    await sim.clock.advance(1_000);
    expect(await shown()).toEqual([1.1, -1, 9]);
    await sim.clock.advance(1_000);
    expect(await shown()).toEqual([1.102, 19, 19]);
  });

  it('knows half of the symbols after the start of a session', async () => {
    const sim = await RunningSimulator.start();
    const all = (await sim.client.symbolsGet()).map(({ name }) => name);
    const last = all.at(-1) ?? '';
    sim.simulator.faults.set({ kind: 'late-symbols', ms: 1_000 });
    await sim.client.shutdown();
    await sim.client.connect();
    expect(await sim.client.symbolsGet()).toHaveLength(Math.ceil(all.length / 2));
    expect([await sim.client.symbolInfo(last), await sim.client.symbolSelect(last, true)]).toEqual([null, false]);
    expect([await sim.client.symbolInfoTick(last), await sim.client.ticks([last])]).toEqual([null, [null]]);
    await sim.clock.advance(1_000);
    expect(await sim.client.symbolsGet()).toHaveLength(all.length);
    expect(await sim.client.symbolSelect(last, true)).toBe(true);
  });

  it('hides prices, market depth and calculations of a symbol that it does not know yet, and sends no order of it', async () => {
    const sim = await RunningSimulator.start();
    const last = (await sim.client.symbolsGet()).at(-1)?.name ?? '';
    await sim.client.symbolSelect(last, true);
    const { client } = sim;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => client.marketBook(last),
      () => client.copyRatesFromPos(last, Timeframe.M1, 0, 2),
      () => client.copyRatesRange(last, Timeframe.M1, 0, 1),
      () => client.copyTicksRange(last, 0, 1, CopyTicks.ALL),
      () => client.orderCalcMargin(OrderType.BUY, last, 1, 100),
      () => client.orderCalcProfit(OrderType.BUY, last, 1, 100, 101),
    ];
    const answers = async (): Promise<boolean[]> => {
      const shown: boolean[] = [];
      for (const call of calls) shown.push((await call()) !== null);
      return shown;
    };
    const request = tradeRequest({ ...buy, symbol: last, volume: 0.01 });
    const check = async (): Promise<number> => (await client.orderCheck(request)).retcode;
    sim.simulator.faults.set({ kind: 'late-symbols', ms: 1_000 });
    await client.shutdown();
    await client.connect();
    expect([await answers(), await check()]).toEqual([calls.map(() => false), Retcode.INVALID]);
    expect(await sim.send(request)).toMatchObject({ retcode: Retcode.INVALID, order: 0 });
    await sim.clock.advance(1_000);
    expect([await answers(), await check()]).toEqual([calls.map(() => true), 0]);
    expect(await sim.send(request)).toMatchObject({ retcode: Retcode.DONE });
  });
});

describe('habits', () => {
  it('follow each other in the order in which they are listed', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'lists-not-loaded', shows: 'half', lists: ['positions'] });
    sim.simulator.faults.set({ kind: 'rows-reversed' });
    expect(await sim.client.positionsGet()).toMatchObject([{ volume: 0.1 }]);
    sim.simulator.faults.clear('lists-not-loaded');
    sim.simulator.faults.set({ kind: 'lists-not-loaded', shows: 'half', lists: ['positions'] });
    expect(await sim.client.positionsGet()).toMatchObject([{ volume: 0.2 }]);
  });

  it('leave the books of the broker as they are', async () => {
    const sim = await traded();
    const before = await listsOf(sim.client);
    for (const fault of faults) sim.simulator.faults.set(fault);
    await listsOf(sim.client);
    sim.simulator.faults.clear();
    expect(await listsOf(sim.client)).toEqual(before);
    const [, position] = before.positions;
    if (!position) throw new Error('nothing was traded');
    expect(await sim.close(position)).toMatchObject({ retcode: Retcode.DONE, volume: 0.2 });
    expect(await sim.position()).toMatchObject({ type: PositionType.BUY, volume: 0.1, magic: 7 });
  });
});

const faults: readonly Fault[] = [
  { kind: 'server-lost' },
  { kind: 'frozen-account' },
  { kind: 'lists-not-loaded', shows: 'half' },
  { kind: 'session-start', shows: 'old', ms: 1_000 },
  { kind: 'late-lists', positionsMs: 1_000 },
  { kind: 'history-lacks', what: 'orders' },
  { kind: 'history-gap', seconds: 60 },
  { kind: 'comments', to: 'cut' },
  { kind: 'trade-clock', seconds: 60 },
  { kind: 'reasons', reason: 1 },
  { kind: 'magic-zero' },
  { kind: 'float-noise' },
  { kind: 'rows-twice' },
  { kind: 'rows-reversed' },
  { kind: 'flickering-lists', shows: 'empty', every: 2 },
  { kind: 'late-costs', ms: 1_000 },
  { kind: 'late-position-ids', ms: 1_000 },
  { kind: 'late-profits', ms: 1_000 },
  { kind: 'passing-rows', ms: 1_000 },
];

describe.each(faults)('while $kind is in force', (fault) => {
  it('nothing can be concluded from what the terminal reports, and its begin and end are reported', async () => {
    const { client, simulator } = await traded();
    const changes: AccountChange[] = [];
    client.pushes?.onChange((change) => changes.push(change));
    simulator.faults.set(parseFault(fault));
    expect(changes).toMatchObject([{ isWider: true }]);
    expect(client.pushes).toMatchObject({ revision: null, priceRevision: null });
    simulator.faults.clear(fault.kind);
    expect(changes).toMatchObject([{ isWider: true }, { isWider: true }]);
    expect(client.pushes).toMatchObject({ revision: expect.any(Number), priceRevision: expect.any(Number) });
  });
});

describe('a broker with habits', () => {
  it('has them from its start', async () => {
    const habits = { kind: 'fixed', seed: 1, habits: [{ kind: 'rows-twice' }, { kind: 'magic-zero' }] } as const;
    const sim = await RunningSimulator.start({ habits });
    await sim.buy(0.1, { magic: 7 });
    expect((await sim.client.positionsGet()).map(({ magic }) => magic)).toEqual([0, 0]);
  });

  it('has others in each session, the same from the same seed', async () => {
    const sessions = async (seed: number): Promise<string[]> => {
      const sim = await RunningSimulator.start({ habits: { kind: 'drawn', seed } });
      const all: string[] = [];
      for (let session = 0; session < 20; session++) {
        all.push(JSON.stringify(sim.simulator.faults.list()));
        await sim.client.shutdown();
        await sim.client.connect();
      }
      return all;
    };
    const first = await sessions(1);
    expect(new Set(first).size).toBeGreaterThan(10);
    expect(await sessions(1)).toEqual(first);
    expect(await sessions(2)).not.toEqual(first);
  });
});

describe('a fault that is not a habit', () => {
  it('reports no change of its own', async () => {
    const { client, simulator } = await traded();
    const changes: AccountChange[] = [];
    client.pushes?.onChange((change) => changes.push(change));
    simulator.faults.set({ kind: 'lag', ms: 5 });
    simulator.faults.clear();
    expect(changes).toEqual([]);
  });
});
