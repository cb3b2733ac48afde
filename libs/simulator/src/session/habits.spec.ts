import { VirtualClock } from '@libs/clock';
import {
  type AccountChange,
  CopyTicks,
  OrderType,
  PositionType,
  Retcode,
  Timeframe,
  TradeAction,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { Simulator } from '../simulator';
import { RunningSimulator, testOptions, TUESDAY } from '../testing/running-simulator';
import type { Fault } from './fault';
import { parseFault } from './parse-fault';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.101, 1.1011],
  [2_000, 1.102, 1.1021],
] as const;
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

describe('a habit of a broker', () => {
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

  it('leaves noise in volumes', async () => {
    const sim = await traded();
    sim.simulator.faults.set({ kind: 'float-noise' });
    const { positions, orders, historyOrders, deals } = await listsOf(sim.client);
    expect(positions[0]?.volume).toBe(0.1 + 1e-9);
    expect(orders[0]).toMatchObject({ volume_initial: 0.1 + 1e-9, volume_current: 0.1 + 1e-9 });
    expect(historyOrders[0]).toMatchObject({ volume_initial: 0.1 + 1e-9, volume_current: 0 });
    expect(deals.map(({ volume }) => volume)).toEqual([0, 0.1 + 1e-9, 0.2 + 1e-9]);
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
  { kind: 'history-lacks', what: 'orders' },
  { kind: 'comments', to: 'cut' },
  { kind: 'trade-clock', seconds: 60 },
  { kind: 'reasons', reason: 1 },
  { kind: 'magic-zero' },
  { kind: 'float-noise' },
  { kind: 'rows-twice' },
  { kind: 'rows-reversed' },
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
