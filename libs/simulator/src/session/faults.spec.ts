import {
  type LateOutcome,
  type LinkEvent,
  OrderType,
  Retcode,
  SymbolExecution,
  TradeAction,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { parseFault } from './parse-fault';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.101, 1.1011],
  [2_000, 1.102, 1.1021],
] as const;
const start = (): Promise<RunningSimulator> => RunningSimulator.scripted(quotes);
const buy = sealRequest(
  'intent',
  tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 }),
);

describe('a fault from outside', () => {
  it('is taken when it is one', () => {
    const fault = { kind: 'retcode', retcode: 10012, times: 2, acts: true };
    expect(parseFault(fault)).toBe(fault);
    expect(parseFault({ kind: 'frozen-quotes' })).toEqual({ kind: 'frozen-quotes' });
  });

  it.each([
    ['nothing', null, 'a fault needs a kind'],
    ['an unknown kind', { kind: 'gremlins' }, 'a fault is one of latency, drop-before-send'],
    ['a missing field', { kind: 'latency' }, 'the fault latency: ms must be a number'],
    ['an unknown field', { kind: 'disconnected', ms: 1 }, 'the fault disconnected: ms is not a known setting'],
    ['a field of another type', { kind: 'lag', ms: '5' }, 'the fault lag: ms must be a number, not "5"'],
    [
      'a word that is none',
      { kind: 'trading-off', by: 'me' },
      'trading-off: by must be one of terminal, server, account',
    ],
    ['a list that is none', { kind: 'lag', ms: 5, lists: ['books'] }, 'lag: lists must be a list of positions, orders'],
    ['a read that is none', { kind: 'failed-reads', methods: ['orderSend'] }, 'methods must be a list of terminalInfo'],
    [
      'several reasons',
      { kind: 'latency', times: 1, calls: null },
      /latency: times is not a known setting.*; ms must.*; calls has no value/,
    ],
    [
      'a name that every object has',
      JSON.parse('{"kind":"zero-ack","__proto__":{"times":1}}'),
      'zero-ack: __proto__ is not',
    ],
    ['a text that is none', { kind: 'retcode', retcode: 10004, comment: 5 }, 'comment must be a text, not 5'],
    ['a flag that is none', { kind: 'zero-ack', bare: 'yes' }, 'bare must be true or false, not "yes"'],
    [
      'a text for a list',
      { kind: 'frozen-quotes', symbols: 'EURUSD' },
      'symbols must be a list of texts, not "EURUSD"',
    ],
    ['a list of numbers', { kind: 'frozen-quotes', symbols: [1] }, 'symbols must be a list of texts, not [1]'],
    ['a number that is none', { kind: 'latency', ms: Number.NaN }, 'ms must be a number'],
    ['a part of a call', { kind: 'zero-ack', times: 0.5 }, 'times must be a whole number above 0, not 0.5'],
  ])('is refused for %s', (_, value, problem) => {
    expect(() => parseFault(value)).toThrow(problem);
  });
});

describe('slippage', () => {
  it('fills a market order so many points worse than its quote, buys and closes alike, and is spent', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'slippage', points: 12, times: 2 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE, price: 1.10022 });
    expect((await sim.position()).price_open).toBe(1.10022);
    expect(await sim.close(await sim.position())).toMatchObject({ retcode: Retcode.DONE, price: 1.09988 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE, price: 1.1001 });
  });

  it('beyond the deviation of an order with instant execution is a requote, and nothing is done', async () => {
    const symbols = [symbolLike('EURUSD', { trade_exemode: SymbolExecution.INSTANT })];
    const sim = await RunningSimulator.scripted(quotes, { symbols });
    sim.simulator.faults.set({ kind: 'slippage', points: 12 });
    expect((await sim.buy(0.1, { price: 1.1001, deviation: 11 })).retcode).toBe(Retcode.REQUOTE);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect(await sim.buy(0.1, { price: 1.1001, deviation: 12 })).toMatchObject({ price: 1.10022 });
  });
});

describe('a fault', () => {
  it('drops the connection before the server acts: the outcome is unknown, and nothing was done', async () => {
    const { client, simulator } = await start();
    const events: LinkEvent[] = [];
    client.onLink((event) => events.push(event));
    simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'unknown', lastError: { code: -10002 } });
    expect(events).toMatchObject([{ state: 'down' }]);
    await expect(client.positionsGet()).rejects.toMatchObject({ failure: 'disconnected' });
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'refused' });
    await client.connect();
    expect(events.map(({ state }) => state)).toEqual(['down', 'up']);
    expect(await client.positionsGet()).toEqual([]);
    expect(simulator.faults.list()).toEqual([]);
  });

  it('drops the connection after the server acted: the outcome is unknown, and it was done', async () => {
    const { client, simulator } = await start();
    simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'unknown' });
    await client.connect();
    expect(await client.positionsGet()).toHaveLength(1);
  });

  it('loses the answer of a send, which comes late or never', async () => {
    const { client, simulator, clock } = await start();
    const late: [string, LateOutcome][] = [];
    client.onLateAnswer((intentId, outcome) => late.push([intentId, outcome]));
    simulator.faults.set({ kind: 'lose-answer', times: 1, lateMs: 30_000 });
    const sent = client.orderSend(buy);
    await clock.advance(20_000);
    expect(await sent).toMatchObject({ kind: 'unknown', lastError: { code: -10005 } });
    expect(await client.positionsGet()).toHaveLength(1);
    expect(late).toEqual([]);
    await clock.advance(10_000);
    expect(late).toMatchObject([['intent', { kind: 'answered', result: { retcode: Retcode.DONE } }]]);
  });

  it('answers with a retcode of choice, for some actions alone', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'retcode', retcode: 10012, action: TradeAction.DEAL, times: 2 });
    expect(await sim.place(OrderType.BUY_LIMIT, 1.05)).toMatchObject({ retcode: Retcode.DONE });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: 10012, comment: 'Request canceled by timeout', order: 0 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: 10012 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE });
    sim.simulator.faults.set({ kind: 'retcode', retcode: 19_999, comment: 'what' });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: 19_999, comment: 'what' });
  });

  it('answers with a retcode of choice what was done all the same', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: 10012, order: 0, deal: 0 });
    expect(await sim.position()).toMatchObject({ volume: 0.1 });
  });

  it('answers 10008 with the order and the deal of what was done', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'retcode', retcode: Retcode.PLACED, acts: true, times: 1 });
    const sent = await sim.buy(0.1);
    const [deal] = await sim.deals();
    expect(sent).toMatchObject({ retcode: Retcode.PLACED, order: deal?.order, deal: deal?.ticket, volume: 0.1 });
    expect(sent.price).toBe(1.1001);
  });

  it('answers 10010 with the filled part under any filling policy; the rest is cancelled', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'retcode', retcode: Retcode.DONE_PARTIAL, acts: true, times: 2 });
    const sent = await sim.buy(0.5);
    const [deal] = await sim.deals();
    expect(sent).toMatchObject({ retcode: Retcode.DONE_PARTIAL, order: deal?.order, deal: deal?.ticket, volume: 0.25 });
    expect(await sim.position()).toMatchObject({ volume: 0.25 });
    expect(await sim.historyOrders()).toMatchObject([{ volume_initial: 0.5, volume_current: 0.25, state: 2 }]);
    // The smallest volume has no part that can be filled.
    const whole = await sim.buy(0.01);
    expect(whole).toMatchObject({ retcode: Retcode.DONE_PARTIAL, volume: 0.01 });
  });

  it("switches trading by programs off at the terminal's own door: nothing is sent", async () => {
    const { client, simulator } = await start();
    simulator.faults.set({ kind: 'trading-off', by: 'api' });
    expect(await client.orderSend(buy)).toMatchObject({
      ...{ kind: 'refused' },
      lastError: { code: -8, message: 'Auto-Trading using Python API disabled in Terminal' },
    });
    expect(await client.terminalInfo()).toMatchObject({ tradeapi_disabled: true, trade_allowed: true });
    simulator.faults.clear();
    expect(await client.terminalInfo()).toMatchObject({ tradeapi_disabled: false });
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'answered' });
  });

  it('acknowledges an executed request with a price and a deal of zero', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE, price: 0, deal: 0 });
    expect(await sim.deals()).toMatchObject([{ price: 1.1001 }]);
  });

  it('acknowledges an executed request without an order', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    expect(await sim.buy(0.1)).toMatchObject({ retcode: Retcode.DONE, price: 0, deal: 0, order: 0 });
    expect(await sim.deals()).toMatchObject([{ price: 1.1001 }]);
  });

  it('lets the lists lag behind', async () => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'lag', ms: 1_500, lists: ['deals', 'positions'] });
    const { order } = await sim.buy(0.1);
    expect(await sim.client.historyDealsGet({ ticket: order })).toEqual([]);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect(await sim.client.historyOrdersGet({ ticket: order })).toHaveLength(1);
    await sim.clock.advance(1_500);
    expect(await sim.client.historyDealsGet({ ticket: order })).toHaveLength(1);
    expect(await sim.client.positionsGet()).toHaveLength(1);
  });

  it('freezes quotes while time goes on', async () => {
    const { client, simulator, clock } = await start();
    const first = await client.symbolInfoTick('EURUSD');
    simulator.faults.set({ kind: 'frozen-quotes', symbols: ['EURUSD'] });
    await clock.advance(1_000);
    expect(await client.symbolInfoTick('EURUSD')).toEqual(first);
    simulator.faults.clear('frozen-quotes');
    expect(await client.symbolInfoTick('EURUSD')).toMatchObject({ bid: 1.101 });
  });

  it("sets the server's clock off for later times", async () => {
    const { client, simulator, clock } = await start();
    const before = await client.symbolInfoTick('EURUSD');
    await clock.advance(500);
    simulator.faults.set({ kind: 'clock-offset', seconds: -3_600 });
    expect(await client.symbolInfoTick('EURUSD')).toEqual(before);
    await clock.advance(500);
    expect((await client.symbolInfoTick('EURUSD'))?.time).toBe((before?.time ?? 0) + 1 - 3_600);
  });

  it('fails reads, of some methods and some times', async () => {
    const { client, simulator } = await start();
    simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet'], times: 1, code: -10005 });
    expect(await client.ordersGet()).toEqual([]);
    await expect(client.positionsGet()).rejects.toMatchObject({ failure: 'failed', lastError: { code: -10005 } });
    expect(await client.lastError()).toMatchObject({ code: -10005 });
    expect(await client.positionsGet()).toEqual([]);
  });

  it('cuts the terminal off until it is cleared', async () => {
    const { client, simulator } = await start();
    simulator.faults.set({ kind: 'disconnected' });
    await expect(client.accountInfo()).rejects.toMatchObject({ failure: 'disconnected' });
    await expect(client.connect()).rejects.toMatchObject({ lastError: { code: -10003 } });
    simulator.faults.clear();
    await client.connect();
    expect(await client.accountInfo()).not.toBeNull();
  });

  it('shows sums of the account that are not loaded as 0', async () => {
    const { client, simulator } = await start();
    const account = await client.accountInfo();
    simulator.faults.set({ kind: 'zero-sums', sums: ['equity', 'margin_free'] });
    expect(await client.accountInfo()).toEqual({ ...account, equity: 0, margin_free: 0 });
    simulator.faults.set({ kind: 'zero-sums' });
    expect(await client.accountInfo()).toMatchObject({ balance: 0, credit: 0, profit: 0, equity: 0, margin_level: 0 });
    simulator.faults.clear();
    expect(await client.accountInfo()).toEqual(account);
  });

  it('shows the sums of the account that a late list of positions makes', async () => {
    const { client, simulator } = await start();
    const { balance } = (await client.accountInfo()) ?? {};
    simulator.faults.set({ kind: 'late-lists', positionsMs: 60_000, sums: true });
    await client.orderSend(buy);
    const flat = { balance, profit: 0, margin: 0, equity: balance, margin_free: balance, margin_level: 0 };
    expect(await client.accountInfo()).toMatchObject(flat);
    simulator.faults.set({ kind: 'late-lists', positionsMs: 0, sums: true });
    const [position] = await client.positionsGet();
    const { profit, margin, equity } = (await client.accountInfo()) ?? {};
    expect([profit, equity]).toEqual([position?.profit, Number(((balance ?? 0) + (profit ?? 0)).toFixed(2))]);
    expect(margin).toBeGreaterThan(0);
  });

  it('logs the terminal out, or in to another account', async () => {
    const { client, simulator } = await start();
    simulator.faults.set({ kind: 'logged-out' });
    expect(await client.accountInfo()).toBeNull();
    expect(await client.terminalInfo()).toMatchObject({ connected: false });
    await expect(client.positionsGet()).rejects.toMatchObject({ failure: 'disconnected' });
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'refused' });
    const mine = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' };
    expect(await client.login(mine)).toEqual({ ok: true });
    simulator.faults.set({ kind: 'other-account', login: 7 });
    expect(await client.accountInfo()).toMatchObject({ login: 7 });
    simulator.faults.set({ kind: 'login-refused' });
    expect(await client.login(mine)).toMatchObject({ ok: false });
  });

  it.each([
    ['terminal', Retcode.CLIENT_DISABLES_AT],
    ['server', Retcode.SERVER_DISABLES_AT],
    ['account', Retcode.TRADE_DISABLED],
  ] as const)('switches trading off by the %s', async (by, retcode) => {
    const sim = await start();
    sim.simulator.faults.set({ kind: 'trading-off', by });
    expect((await sim.buy(0.1)).retcode).toBe(retcode);
    expect((await sim.client.terminalInfo()).trade_allowed).toBe(by !== 'terminal');
    expect((await sim.client.accountInfo())?.trade_expert).toBe(by !== 'server');
    expect((await sim.client.accountInfo())?.trade_allowed).toBe(by !== 'account');
  });

  it("is not a fault: the terminal's button for programs can be off", async () => {
    const sim = await start();
    sim.simulator.setAlgoTrading(false);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.CLIENT_DISABLES_AT);
    sim.simulator.setAlgoTrading(true);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.DONE);
  });

  it('slows calls down, reads or sends', async () => {
    const { client, simulator, clock } = await start();
    simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'sends' });
    await client.positionsGet();
    const sent = client.orderSend(buy);
    expect(await client.positionsGet()).toEqual([]);
    await clock.advance(1_000);
    // The price is that of the moment at which the request arrives.
    expect(await sent).toMatchObject({ kind: 'answered', result: { price: 1.1011 } });
  });
});
