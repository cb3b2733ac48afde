import { VirtualClock } from '@libs/clock';
import {
  TerminalUnavailableError,
  OrderType,
  Retcode,
  Timeframe,
  TradeAction,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Simulator } from '../simulator';
import { RunningSimulator, testOptions, TUESDAY } from '../testing/running-simulator';

const credentials = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' };

describe('a session with the simulated terminal', () => {
  it('is attached first, and logged in with the account of the settings', async () => {
    const simulator = new Simulator(testOptions(), new VirtualClock(TUESDAY));
    const client = simulator.connect();
    await expect(client.connect()).rejects.toThrow(TerminalUnavailableError);
    await simulator.start();
    await expect(client.accountInfo()).rejects.toThrow(TerminalUnavailableError);
    await client.connect();
    expect(await client.accountInfo()).toBeNull();
    await expect(client.symbolsGet()).rejects.toMatchObject({ failure: 'disconnected' });
    for (const wrong of [{ login: 2 }, { password: 'x' }, { server: 'Other' }]) {
      expect(await client.login({ ...credentials, ...wrong })).toMatchObject({ ok: false, lastError: { code: -6 } });
    }
    expect(await client.login(credentials)).toEqual({ ok: true });
    expect(await client.accountInfo()).toMatchObject({ login: 100_001, server: 'Simulator-Demo', balance: 10_000 });
    await simulator.stop();
    await expect(client.accountInfo()).rejects.toThrow(TerminalUnavailableError);
  });

  it('shares the terminal with other sessions: one logs in, all are', async () => {
    const simulator = new Simulator(testOptions(), new VirtualClock(TUESDAY));
    await simulator.start();
    const [first, second] = [simulator.connect(), simulator.connect()];
    await Promise.all([first.connect(), second.connect()]);
    await first.login(credentials);
    expect(await second.accountInfo()).toMatchObject({ login: 100_001 });
    await first.shutdown();
    expect(await second.accountInfo()).toMatchObject({ login: 100_001 });
    await expect(first.accountInfo()).rejects.toThrow(TerminalUnavailableError);
  });

  it('lists symbols by mask, and their quotes once they are in Market Watch', async () => {
    const { client } = await RunningSimulator.start();
    const names = async (mask?: string): Promise<string[]> => (await client.symbolsGet(mask)).map(({ name }) => name);
    expect(await names('*USD*,!*JPY*,!XAU*,!BTC*,!*CAD')).toEqual([
      ...['EURUSD', 'GBPUSD', 'USDCHF', 'AUDUSD', 'NZDUSD', 'EURUSD.m'],
    ]);
    expect(await names('!*USD*')).toEqual(['EURGBP', 'EURJPY', 'GBPJPY', 'EURCHF', 'AUDJPY', 'US500']);
    expect(await names()).toHaveLength(16);
    expect(await client.symbolInfo('EURCHF')).toMatchObject({ select: false, visible: false });
    expect(await client.symbolInfoTick('EURCHF')).toBeNull();
    expect(await client.symbolSelect('EURCHF', true)).toBe(true);
    expect(await client.symbolInfoTick('EURCHF')).toMatchObject({ bid: expect.any(Number) });
    expect(await client.symbolSelect('EURCHF', false)).toBe(true);
    expect(await client.symbolSelect('NOPE', true)).toBe(false);
    expect(await client.symbolInfo('NOPE')).toBeNull();
    expect(await client.ticks(['EURUSD', 'NOPE'])).toMatchObject([{ bid: expect.any(Number) }, null]);
  });

  it('sets last_error when it cannot select a symbol', async () => {
    const { client } = await RunningSimulator.start();
    expect(await client.symbolSelect('NOPE', true)).toBe(false);
    expect(await client.lastError()).toEqual({ code: -1, message: 'Terminal: Call failed' });
    expect(await client.symbolSelect('EURUSD', true)).toBe(true);
    expect(await client.lastError()).toMatchObject({ code: 1 });
  });

  it('has no bars at a position before the forming one', async () => {
    const { client } = await RunningSimulator.start();
    expect(await client.copyRatesFromPos('EURUSD', Timeframe.M1, -1, 1)).toBeNull();
    expect(await client.lastError()).toEqual({ code: -2, message: 'Invalid params' });
    expect((await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 1))?.time).toHaveLength(1);
  });

  it('checks closes and cancellations as well, with the margin that is left after them', async () => {
    const sim = await RunningSimulator.start();
    const long = (await sim.buy(0.3)).order;
    const short = (await sim.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.SELL, volume: 0.1 }))
      .order;
    const { order } = await sim.place(OrderType.BUY_LIMIT, 0.5);
    const margin = (await sim.client.accountInfo())?.margin ?? 0;
    const check = (request: Parameters<typeof tradeRequest>[0]) => sim.client.orderCheck(tradeRequest(request));
    const close = { action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.SELL, position: long } as const;
    const whole = await check({ ...close, volume: 0.3 });
    const part = await check({ ...close, volume: 0.1 });
    expect([whole.retcode, part.retcode]).toEqual([0, 0]);
    expect(part.margin).toBeLessThan(margin);
    expect(whole.margin).toBeLessThan(part.margin);
    const by = await check({ action: TradeAction.CLOSE_BY, position: long, position_by: short });
    expect(by).toMatchObject({ retcode: 0, margin: part.margin });
    await sim.send({ ...close, volume: 0.1 });
    expect((await sim.client.accountInfo())?.margin).toBe(part.margin);
    expect(await check({ action: TradeAction.REMOVE, order })).toMatchObject({ retcode: 0, margin: part.margin });
    expect(await check({ ...close, volume: 9 })).toMatchObject({ retcode: Retcode.INVALID_CLOSE_VOLUME });
    expect(await check({ action: TradeAction.REMOVE, order: 9 })).toMatchObject({ retcode: Retcode.INVALID_ORDER });
  });

  it('has no quote to trade a symbol at that is outside Market Watch', async () => {
    const sim = await RunningSimulator.start();
    const open = { action: TradeAction.DEAL, symbol: 'EURCHF', type: OrderType.BUY, volume: 0.1 };
    expect(await sim.client.orderCheck(tradeRequest(open))).toMatchObject({ retcode: Retcode.PRICE_OFF });
    expect(await sim.send(open)).toMatchObject({ retcode: Retcode.PRICE_OFF, bid: 0, ask: 0 });
    expect(await sim.place(OrderType.BUY_LIMIT, 0.5, { symbol: 'EURCHF' })).toMatchObject({
      retcode: Retcode.PRICE_OFF,
    });
    await sim.client.symbolSelect('EURCHF', true);
    expect(await sim.send(open)).toMatchObject({ retcode: Retcode.DONE });
  });

  it('takes no symbol off Market Watch that is in use', async () => {
    const sim = await RunningSimulator.start();
    await sim.buy(0.1);
    expect(await sim.client.symbolSelect('EURUSD', false)).toBe(false);
  });

  it('filters its lists by symbol, group and ticket; the symbol wins over the ticket', async () => {
    const sim = await RunningSimulator.start();
    const first = await sim.buy(0.1);
    await sim.buy(0.1, { symbol: 'USDJPY' });
    const { client } = sim;
    expect(await client.positionsGet({ ticket: first.order })).toMatchObject([{ symbol: 'EURUSD' }]);
    expect(await client.positionsGet({ symbol: 'USDJPY', ticket: first.order })).toMatchObject([{ symbol: 'USDJPY' }]);
    expect(await client.positionsGet({ group: '*,!EUR*' })).toMatchObject([{ symbol: 'USDJPY' }]);
    expect(await client.historyDealsGet({ position: first.order })).toMatchObject([{ symbol: 'EURUSD' }]);
    const now = TUESDAY / 1_000 + 3 * 3_600;
    expect(await client.historyDealsGet({ from: now, to: now, group: 'USD*' })).toMatchObject([{ symbol: 'USDJPY' }]);
    expect(await client.historyDealsGet({ from: now + 1, to: now + 2 })).toEqual([]);
  });

  it('refuses at its own door what no terminal would send', async () => {
    const { client } = await RunningSimulator.start();
    const fields = { action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 };
    const send = (extra: object): Promise<unknown> =>
      client.orderSend(sealRequest('x', tradeRequest({ ...fields, ...extra })));
    expect(await send({ comment: 'x'.repeat(30) })).toMatchObject({
      kind: 'refused',
      lastError: { code: -2, message: 'Invalid "comment" argument' },
    });
    expect(await send({ symbol: 'X'.repeat(30) })).toMatchObject({
      kind: 'refused',
      lastError: { code: -2, message: 'Invalid "symbol" argument' },
    });
    // Counted in UTF-16 units, as the terminal's strings are.
    expect(await send({ comment: '😀'.repeat(15) })).toMatchObject({ kind: 'refused' });
    expect(await send({ price: Number.NaN })).toMatchObject({ kind: 'refused', lastError: { code: -2 } });
    expect(await client.positionsGet()).toEqual([]);
    expect(await send({ comment: 'x'.repeat(29) })).toMatchObject({ kind: 'answered' });
  });

  it('closes the market outside its hours: quotes stop, and requests are refused', async () => {
    const saturday = Date.UTC(2024, 4, 18, 12);
    const sim = await RunningSimulator.start({ hours: 'market' }, saturday);
    const friday = await sim.client.symbolInfoTick('EURUSD');
    expect(new Date(friday?.time_msc ?? 0).toISOString()).toMatch(/^2024-05-17T23:59/);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.MARKET_CLOSED);
    expect((await sim.place(OrderType.BUY_LIMIT, 1)).retcode).toBe(Retcode.MARKET_CLOSED);
    expect((await sim.buy(0.01, { symbol: 'BTCUSD' })).retcode).toBe(Retcode.DONE);
    await sim.clock.advance(6 * 3_600_000);
    expect(await sim.client.symbolInfoTick('EURUSD')).toEqual(friday);
    await sim.clock.advance(30 * 3_600_000);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.DONE);
  });

  it('has no answer to questions that make no sense', async () => {
    const { client } = await RunningSimulator.start();
    expect(await client.orderCalcMargin(9, 'EURUSD', 1, 1)).toBeNull();
    expect(await client.orderCalcMargin(0, 'NOPE', 1, 1)).toBeNull();
    expect(await client.orderCalcProfit(2, 'EURUSD', 1, 1, 1.1)).toBeNull();
    expect(await client.orderCalcProfit(0, 'EURUSD', 0, 1, 1.1)).toBeNull();
    expect(await client.historyOrdersGet({ ticket: 1 })).toEqual([]);
  });
});
