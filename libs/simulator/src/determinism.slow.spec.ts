import { createHash } from 'node:crypto';
import { Timeframe } from '@libs/terminal-client';
import { RandomTrader } from './testing/random-trader';
import { RunningSimulator } from './testing/running-simulator';
import { effort } from '../../../test/setup/effort';

const MINUTE = 60_000;
const MONDAY = Date.UTC(2024, 4, 13, 6);

/** Trades at random for a while and returns all there is to read at the end, as bytes. */
async function record(steps: (minutes: number) => number[], pumpMs: number, rounds = 400): Promise<string> {
  const sim = await RunningSimulator.start({ hours: 'market', pumpMs }, MONDAY);
  const trader = new RandomTrader(99, true);
  const { client } = sim;
  for (let round = 0; round < rounds; round++) {
    const symbol = round % 3 === 0 ? 'USDJPY' : 'EURUSD';
    const tick = await client.symbolInfoTick(symbol);
    const scene = {
      symbol,
      digits: symbol === 'USDJPY' ? 3 : 5,
      bid: tick?.bid ?? 0,
      ask: tick?.ask ?? 0,
      volumeStep: 0.01,
      positions: await client.positionsGet(),
      orders: await client.ordersGet(),
    };
    await sim.send(trader.request(scene));
    for (const ms of steps(trader.below(20))) {
      sim.clock.advanceSync(ms);
      if (ms < MINUTE) await client.accountInfo();
    }
  }
  const everything = {
    account: await client.accountInfo(),
    positions: await client.positionsGet(),
    orders: await client.ordersGet(),
    deals: await client.historyDealsGet({ from: 0, to: 1e11 }),
    history: await client.historyOrdersGet({ from: 0, to: 1e11 }),
    ticks: await client.ticks(['EURUSD', 'XAUUSD', 'BTCUSD']),
    bars: Object.values((await client.copyRatesFromPos('GBPJPY', Timeframe.M5, 0, 500)) ?? {}).map((column) =>
      Array.from(column),
    ),
  };
  await sim.simulator.stop();
  return JSON.stringify(everything);
}

const atOnce = (minutes: number): number[] => [minutes * MINUTE];
const bySteps = (minutes: number): number[] => Array.from({ length: minutes * 4 }, () => MINUTE / 4);

describe('a run', () => {
  const weeks = effort(1, 4);

  it('is the same to the byte for the same seed and requests, regardless of how often the market is read', async () => {
    const rounds = effort(100, 400);
    const golden = await record(atOnce, 0, rounds);
    expect(await record(atOnce, 0, rounds)).toBe(golden);
    expect(await record(bySteps, 0, rounds)).toBe(golden);
    expect(await record(atOnce, 7_000, rounds)).toBe(golden);
  });

  it('is the one that was recorded: a change of it changes every test that relies on its prices', async () => {
    const digest = createHash('sha256')
      .update(await record(atOnce, 0))
      .digest('hex');
    expect(digest).toBe('877991c950539e87a4c6177316b4668ad653f38acc2db620adcf5da032deab87');
  });

  it(`steps through ${weeks} weeks of one-minute bars with positions open`, async () => {
    const sim = await RunningSimulator.start({ hours: 'market' }, MONDAY);
    await sim.buy(0.1);
    let bars = 0;
    let last = 0;
    for (let minute = 0; minute < (weeks * 7 + 2) * 1_440; minute++) {
      sim.clock.advanceSync(MINUTE);
      const closed = await sim.client.copyRatesFromPos('EURUSD', Timeframe.M1, 1, 1);
      const time = closed?.time[0] ?? 0;
      if (time > last) bars++;
      last = time;
    }
    // Weeks of five days, less what the week of Monday morning had behind it, and two days of the next.
    expect(bars).toBeGreaterThan(weeks * 7_200);
    expect(await sim.position()).toMatchObject({ volume: 0.1 });
  });
});
