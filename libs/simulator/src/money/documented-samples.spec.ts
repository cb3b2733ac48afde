import { OrderType, PositionType, Retcode, TradeAction, tradeRequest } from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';
import { accountSums } from '../trading/valuation';

/** Prices of the samples in the documentation of MetaTrader 5. */
const documented = {
  EURUSD: [[0, 1.0989, 1.0991]],
  GBPUSD: [[0, 1.2271, 1.2273]],
  USDJPY: [[0, 111.38, 111.387]],
  USDCHF: [[0, 0.97863, 0.97898]],
  EURJPY: [[0, 120.024, 120.041]],
  GBPJPY: [[0, 136.6, 136.62]],
} as const;

const start = (): Promise<RunningSimulator> =>
  RunningSimulator.start({ feed: { kind: 'scripted', quotes: documented }, account: { balance: 100_000 } });

describe("the terminal's documented samples", () => {
  it.each([
    ['EURUSD', 109.91],
    ['GBPUSD', 122.73],
    ['USDJPY', 100],
    ['USDCHF', 100],
    ['EURJPY', 109.91],
    ['GBPJPY', 122.73],
  ])('margin of 0.1 lot %s at 1:100 is %d dollars', async (symbol, margin) => {
    const { client } = await start();
    const ask = (await client.symbolInfoTick(symbol))?.ask ?? 0;
    expect(await client.orderCalcMargin(OrderType.BUY, symbol, 0.1, ask)).toBe(margin);
  });

  it.each([
    ['a buy of USDJPY, 300 points', 'USDJPY', OrderType.BUY, 1, 108.183, 108.483, 276.54],
    ['a sell of USDJPY, 300 points', 'USDJPY', OrderType.SELL, 1, 108.18, 107.88, 278.09],
    ['a losing buy of USDCHF', 'USDCHF', OrderType.BUY, 0.01, 0.97898, 0.95758, -22.35],
    ['a losing sell of USDCHF', 'USDCHF', OrderType.SELL, 0.1, 0.93475, 0.93751, -29.44],
  ])('profit of %s', async (_, symbol, type, volume, open, close, profit) => {
    const { client } = await start();
    expect(await client.orderCalcProfit(type, symbol, volume, open, close)).toBe(profit);
  });

  it('tick values of EURJPY: a gain converts at the ask of USDJPY, a loss at its bid', async () => {
    const { client } = await start();
    const symbol = await client.symbolInfo('EURJPY');
    expect(symbol).toMatchObject({ spread: 17, currency_base: 'EUR', currency_profit: 'JPY', currency_margin: 'EUR' });
    expect(symbol?.trade_tick_value).toBeCloseTo(0.8977708350166538, 12);
    expect(symbol?.trade_tick_value_profit).toBeCloseTo(0.8977708350166538, 12);
    expect(symbol?.trade_tick_value_loss).toBeCloseTo(0.8978272580355541, 12);
  });

  it.each([
    ['the account of the documentation', 99_511.4, 41.82, 98.18, 99_553.22, 99_455.04, 101_398.67590140559],
    ['the check of a USDJPY order', 101_300.53, -32_981, 51_193.67, 68_319.53, 17_125.86, 133.45308121101692],
    ['the check of a USDRUB order', 9_921.24, 0, 1_000, 9_921.24, 8_921.24, 992.124],
  ])('sums of %s', (_, balance, profit, margin, equity, marginFree, marginLevel) => {
    expect(accountSums(balance, profit, margin, 2)).toEqual({
      balance,
      profit,
      margin,
      equity,
      marginFree,
      marginLevel: expect.closeTo(marginLevel, 8),
    });
  });

  it('a check answers 0 and "Done", with the margin of the whole account after the order', async () => {
    const { client, buy } = await start().then((sim) => ({ client: sim.client, buy: sim.buy.bind(sim) }));
    await buy(0.1);
    const check = tradeRequest({ action: TradeAction.DEAL, symbol: 'USDJPY', type: OrderType.BUY, volume: 1 });
    expect(await client.orderCheck(check)).toMatchObject({
      retcode: 0,
      comment: 'Done',
      balance: 100_000,
      profit: -2,
      equity: 99_998,
      margin: 1_109.91,
      margin_free: 98_888.09,
    });
    expect(await client.positionsGet()).toHaveLength(1);
    expect(await client.orderCheck({ ...check, volume: 200 })).toMatchObject({ retcode: 10019, comment: 'No money' });
  });

  it('a cross converts its profit by the side that is worse for the holder', async () => {
    const { client } = await start();
    // 100 yen a point and lot: a gain at the ask of USDJPY, a loss at its bid.
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURJPY', 1, 120, 121)).toBe(897.77);
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURJPY', 1, 121, 120)).toBe(-897.83);
  });
});

describe('an account in another currency', () => {
  const accountIn = (currency: string, currencyDigits = 2): Promise<RunningSimulator> =>
    RunningSimulator.start({
      feed: { kind: 'scripted', quotes: documented },
      account: { currency, currencyDigits, balance: 10_000_000 },
    });

  it('of a pair that starts with it converts at the close of the deal', async () => {
    const { client } = await accountIn('EUR');
    // 100 dollars at 1.1.
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURUSD', 0.1, 1.09, 1.1)).toBe(90.91);
    expect(await client.orderCalcMargin(OrderType.BUY, 'EURUSD', 0.1, 1.1)).toBe(100);
  });

  it('converts through the dollar if no direct pair exists, gains low and losses high', async () => {
    const { client } = await accountIn('CHF');
    // Yen to dollars at 111.387 or 111.380, dollars to francs at 0.97863 or 0.97898.
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURJPY', 1, 120, 121)).toBe(878.59);
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURJPY', 1, 121, 120)).toBe(-878.95);
  });

  it('rounds to its own digits', async () => {
    const { client } = await accountIn('JPY', 0);
    expect(await client.orderCalcProfit(OrderType.BUY, 'EURUSD', 0.01, 1.1, 1.10013)).toBe(14);
    expect(await client.orderCalcMargin(OrderType.BUY, 'USDJPY', 0.1, 111.387)).toBe(11_139);
  });

  it('refuses what nothing converts', async () => {
    const sim = await RunningSimulator.scripted([[0, 1.1, 1.1001]], { account: { currency: 'NOK' } });
    expect(await sim.client.orderCalcProfit(OrderType.BUY, 'EURUSD', 1, 1.1, 1.2)).toBeNull();
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.PRICE_OFF);
  });
});

describe('the margin of hedged positions', () => {
  const quotes = [
    [0, 1.1, 1.1001],
    [1_000, 1.2, 1.2001],
  ] as const;
  const hedged = async (changes: Parameters<typeof symbolLike>[1]): Promise<number> => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', changes)] });
    await sim.buy(0.3);
    await sim.clock.advance(1_000);
    await sim.sell(0.1);
    return (await sim.client.accountInfo())?.margin ?? 0;
  };

  it.each([
    // 0.2 lots at 1.1001 are 220.02; 0.1 lots covered at the mean rate of 0.4 lots, (0.3·1.1001 + 0.1·1.2) / 0.4.
    ['a contract size: the covered part goes by it', { margin_hedged: 100_000 }, 332.53],
    ['half a contract size', { margin_hedged: 50_000 }, 276.27],
    ['nothing: the covered part is free', { margin_hedged: 0 }, 220.02],
    ['the larger leg alone', { margin_hedged_use_leg: true }, 330.03],
    ['money per lot beside a margin per lot', { margin_initial: 500, margin_hedged: 200, currency_margin: 'USD' }, 120],
  ])('goes by %s', async (_, changes, margin) => {
    expect(await hedged(changes)).toBe(margin);
  });
});

describe('profit and margin by calculation mode', () => {
  const calc = async (
    changes: Parameters<typeof symbolLike>[1],
  ): Promise<{ readonly margin: number | null; readonly profit: number | null }> => {
    const symbols = [symbolLike('EURUSD', { currency_margin: 'USD', trade_contract_size: 10, ...changes })];
    const { client } = await RunningSimulator.scripted([[0, 200, 201]], { symbols });
    return {
      margin: await client.orderCalcMargin(OrderType.BUY, 'EURUSD', 2, 201),
      profit: await client.orderCalcProfit(PositionType.BUY, 'EURUSD', 2, 200, 203),
    };
  };

  it.each([
    ['FOREX', { trade_calc_mode: 0 }, 0.2, 60],
    ['FOREX without leverage', { trade_calc_mode: 5 }, 20, 60],
    ['CFD', { trade_calc_mode: 2 }, 4_020, 60],
    ['CFD with leverage', { trade_calc_mode: 4 }, 40.2, 60],
    ['CFD index', { trade_calc_mode: 3, trade_tick_size: 0.5, trade_tick_value_profit_currency: 5 }, 40_200, 60],
    [
      'FUTURES',
      { trade_calc_mode: 1, margin_initial: 700, trade_tick_size: 0.5, trade_tick_value_profit_currency: 5 },
      1_400,
      60,
    ],
    ['exchange stocks', { trade_calc_mode: 32 }, 4_020, 60],
    ['exchange bonds', { trade_calc_mode: 37, trade_face_value: 1_000 }, 40_200, 600],
    ['any mode with a margin per lot', { trade_calc_mode: 0, margin_initial: 333 }, 666, 60],
  ])('%s', async (_, changes, margin, profit) => {
    expect(await calc(changes)).toEqual({ margin, profit });
  });

  it.each([
    ['options on margin', 36],
    ['collateral', 64],
    ['a mode there is not', 99],
  ])('is not pretended for what is not simulated: %s', async (_, trade_calc_mode) => {
    expect(await calc({ trade_calc_mode })).toEqual({ margin: null, profit: null });
    const sim = await RunningSimulator.scripted([[0, 1.1, 1.2]], {
      symbols: [symbolLike('EURUSD', { trade_calc_mode })],
    });
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.TRADE_DISABLED);
    expect((await sim.place(OrderType.BUY_LIMIT, 1)).retcode).toBe(Retcode.TRADE_DISABLED);
  });
});
