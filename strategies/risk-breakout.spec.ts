import { join } from 'node:path';
import { backtest, type TestBar } from '@libs/strategy/testing';

const file = join(__dirname, 'risk-breakout.ts');
const params = { channel: 5, stopAtr: 3, reward: 2, riskPct: 0.5 };
/** As many as the strategy warms up with; each has a true range of 10 pips, and so has their average. */
const calm: readonly TestBar[] = Array.from({ length: 25 }, () => [1.1, 1.1005, 1.0995, 1.1]);
/** Its range keeps the average, and it closes above all highs. */
const breakOut: TestBar = [1.1, 1.101, 1.1, 1.101];
const run = (...bars: readonly TestBar[]) => backtest(file, { bars: [...calm, ...bars], params });

describe('risk-breakout', () => {
  it('enters with the volume that loses the set share of the equity at its stop-loss', async () => {
    const { fills, positions } = await run(breakOut);
    // 0.5 % of 10000 are 50; 30 pips of a lot are 300.
    expect(fills).toMatchObject([{ side: 'buy', price: 1.101, volume: 0.16 }]);
    expect(positions).toMatchObject([{ side: 'buy', sl: 1.098, tp: 1.107 }]);
  });

  it('loses no more than that', async () => {
    const { trades, netProfit, equity } = await run(breakOut, [1.101, 1.101, 1.0975, 1.0975]);
    expect(trades).toMatchObject([{ exitReason: 'sl', exitPrice: 1.098, realized: -48 }]);
    expect([netProfit, equity]).toEqual([-48, 9_952]);
  });

  it('takes twice the risk at its target', async () => {
    const { trades } = await run(breakOut, [1.101, 1.1075, 1.101, 1.1075]);
    expect(trades).toMatchObject([{ exitReason: 'tp', exitPrice: 1.107, realized: 96 }]);
  });

  it('does nothing inside its channel', async () => {
    const { bars, fills, rejects } = await run([1.1, 1.1005, 1.0995, 1.1004]);
    expect([bars, fills, rejects]).toEqual([1, [], []]);
  });
});
