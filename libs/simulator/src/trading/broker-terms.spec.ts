import { readSettings, SettingsError } from '@libs/settings';
import { OrderType, PositionType } from '@libs/terminal-client';
import type { ScriptedQuote } from '../simulator-options';
import { simulatorOptions, simulatorSettings } from '../simulator.config';
import { RunningSimulator, TUESDAY } from '../testing/running-simulator';
import { writeBars } from '../testing/written-bars';

const optionsOf = (env: Readonly<Record<string, string>>) => simulatorOptions(readSettings(simulatorSettings, env));
const quotes: readonly ScriptedQuote[] = [
  [-1_000, 1.1, 1.1001],
  [10_000, 1.102, 1.1021],
  [20_000, 1.099, 1.0991],
];
const start = (env: Readonly<Record<string, string>>) => {
  const { symbols, account } = optionsOf(env);
  return RunningSimulator.scripted(quotes, { symbols, account });
};

describe('the terms of the broker', () => {
  it('SIM_COMMISSION is charged for each lot of each deal, of every symbol', async () => {
    const sim = await start({ SIM_COMMISSION: '3.5' });
    await sim.buy(0.5);
    await sim.close(await sim.position());
    expect((await sim.deals()).map(({ commission }) => commission)).toEqual([-1.75, -1.75]);
  });

  it('SIM_SWAP is points a night for long and for short positions', () => {
    const { symbols } = optionsOf({ SIM_SWAP: '-6.5:1.2' });
    for (const { swap_mode, swap_long, swap_short } of symbols) {
      expect([swap_mode, swap_long, swap_short]).toEqual([1, -6.5, 1.2]);
    }
    expect(optionsOf({ SIM_SWAP: '0' }).symbols[0]).toMatchObject({ swap_long: 0, swap_short: 0 });
  });

  it('SIM_SLIPPAGE makes market orders, stops and stop losses worse, and leaves limits and targets at their price', async () => {
    const sim = await start({ SIM_SLIPPAGE: '3' });
    await sim.buy(0.1, { sl: 1.0995 });
    await sim.sell(0.1, { tp: 1.0992 });
    await sim.place(OrderType.BUY_STOP, 1.102);
    await sim.place(OrderType.SELL_LIMIT, 1.1015);
    await sim.clock.advance(30_000);
    sim.simulator.advanceTo(TUESDAY + 30_000);
    expect((await sim.deals()).map(({ price }) => price)).toEqual([
      // From the quote: bought 3 points above the ask, sold 3 below the bid.
      ...[1.10013, 1.09997],
      // The stop at the ask of 1.1021, the limit at the bid of 1.1020; the stop loss at the bid of 1.0990, the target at the ask.
      ...[1.10213, 1.102, 1.09897, 1.0991],
    ]);
  });

  it('SIM_SPREAD replaces the recorded asks by the bid and a fixed number of points', async () => {
    const bars = [[1.5, 1.502, 1.499, 1.501]] as const;
    const files = writeBars('GBPUSD', TUESDAY, bars, 0.0002);
    const feed = { kind: 'replay', files, startMs: TUESDAY, warmupBars: 0, spreadPoints: 12 } as const;
    const sim = await RunningSimulator.start({ feed });
    sim.simulator.advanceTo(TUESDAY + 40_000);
    expect(await sim.client.symbolInfoTick('GBPUSD')).toMatchObject({ bid: 1.502, ask: 1.50212 });
    expect((await sim.client.copyRatesFromPos('GBPUSD', 1, 0, 1))?.spread[0]).toBe(12);
    await sim.send({ action: 1, symbol: 'GBPUSD', type: OrderType.BUY, volume: 0.1 });
    expect(await sim.position()).toMatchObject({ type: PositionType.BUY, price_open: 1.50212 });
  });

  it('change nothing when they are not set', () => {
    const { symbols, account, feed } = optionsOf({});
    expect(symbols[0]?.market.commission.perLot).toBe(0);
    expect(account.slippagePoints).toBeUndefined();
    expect(feed).not.toHaveProperty('spreadPoints');
  });

  it.each([
    ['SIM_SWAP', '1:2:3'],
    ['SIM_SWAP', 'a'],
    ['SIM_COMMISSION', '-1'],
    ['SIM_SLIPPAGE', '0.5'],
    ['SIM_SPREAD', '-1'],
  ])('%s=%s is rejected', (name, value) => {
    expect(() => optionsOf({ [name]: value })).toThrow(SettingsError);
  });
});
