import { join } from 'node:path';
import { backtest, type TestBar } from '@libs/strategy/testing';

const file = join(__dirname, 'pairs.ts');
const params = { length: 10, enterZ: 2, exitZ: 0.5, volume: 0.1 };
const streams = { first: 'EURUSD@M1', second: 'GBPUSD@M1' };

const bar = (close: number): TestBar => [close, close, close, close];
/** Prices of the first symbol that swing by a pip around 1.1. */
const calm = Array.from({ length: 20 }, (_, minute) => 1.1 + (minute % 2) * 0.0001);
const run = (...closes: readonly number[]) =>
  backtest(file, {
    bars: { EURUSD: [...calm, ...closes].map(bar), GBPUSD: [...calm, ...closes].map(() => bar(1.32)) },
    ...{ params, streams },
  });

describe('pairs', () => {
  it('sells the dearer and buys the cheaper symbol for the same value', async () => {
    const { fills, rejects } = await run(1.102);
    // 0.1 lots at 1.102 are 11020; of a lot at 1.32 that is 0.0835.
    expect(fills).toMatchObject([
      { symbol: 'EURUSD', side: 'sell', volume: 0.1 },
      { symbol: 'GBPUSD', side: 'buy', volume: 0.08 },
    ]);
    expect(rejects).toEqual([]);
  });

  it('buys the first when it is the cheaper', async () => {
    const { fills } = await run(1.098);
    expect(fills.map(({ symbol, side }) => [symbol, side])).toEqual([
      ['EURUSD', 'buy'],
      ['GBPUSD', 'sell'],
    ]);
  });

  it('closes both when the ratio is back at its mean', async () => {
    const { trades, positions } = await run(1.102, 1.102, 1.1003);
    expect(trades.map(({ symbol, realized }) => [symbol, realized])).toEqual([
      ['EURUSD', 17],
      ['GBPUSD', 0],
    ]);
    expect(positions).toEqual([]);
  });

  it('does nothing while the ratio is near its mean', async () => {
    const { fills } = await run(1.1001, 1.1);
    expect(fills).toEqual([]);
  });

  it('holds no single leg', async () => {
    // A deposit that pays for one leg alone.
    const options = { params: { ...params, volume: 1 }, streams, capital: 1_500, broker: { SIM_LEVERAGE: '100' } };
    const closes = [...calm, 1.102, 1.102, 1.102];
    const bars = { EURUSD: closes.map(bar), GBPUSD: closes.map(() => bar(1.32)) };
    const { positions, rejects, trades } = await backtest(file, { bars, ...options });
    expect(rejects.length).toBeGreaterThan(0);
    expect(trades.length).toBeGreaterThan(0);
    expect(positions).toEqual([]);
  });
});
