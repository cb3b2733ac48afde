import { join } from 'node:path';
import { backtest, type TestBar } from '@libs/strategy/testing';

const file = join(__dirname, 'trailing-breakout.ts');
const params = { channel: 5, stopAtr: 3, volume: 0.2 };
/** As many as the strategy warms up with; each has a true range of 10 pips, and so has their average. */
const calm: readonly TestBar[] = Array.from({ length: 25 }, () => [1.1, 1.1005, 1.0995, 1.1]);
/** Bars of 10 pips, each of which closes this far above the one before. */
const up = (...closes: readonly number[]): readonly TestBar[] =>
  closes.map((close) => [close - 0.001, close, close - 0.001, close]);
const run = (...bars: readonly TestBar[]) => backtest(file, { bars: [...calm, ...bars], params });

describe('trailing-breakout', () => {
  it('enters with a stop-loss of three ranges', async () => {
    const { positions } = await run(...up(1.101));
    expect(positions).toMatchObject([{ side: 'buy', volume: 0.2, avgPrice: 1.101, sl: 1.098 }]);
  });

  it('keeps the stop-loss until the position has earned its risk', async () => {
    const { positions, fills } = await run(...up(1.101, 1.102, 1.103));
    expect(positions).toMatchObject([{ volume: 0.2, sl: 1.098 }]);
    expect(fills).toHaveLength(1);
  });

  it('then closes half, and trails the rest: the stop-loss is at the entry', async () => {
    const { positions, fills } = await run(...up(1.101, 1.102, 1.103, 1.104));
    expect(fills.map(({ entry, volume }) => [entry, volume])).toEqual([
      ['in', 0.2],
      ['out', 0.1],
    ]);
    expect(positions).toMatchObject([{ volume: 0.1, sl: 1.101, trail: { distance: 0.003 } }]);
  });

  it('lets the stop-loss follow the price, and never back', async () => {
    const risen = await run(...up(1.101, 1.102, 1.103, 1.104, 1.105, 1.106));
    const best = risen.positions[0]?.sl ?? 0;
    expect(best).toBeCloseTo(1.103, 4);
    const fallen = await run(...up(1.101, 1.102, 1.103, 1.104, 1.105, 1.106), ...up(1.1055, 1.105));
    expect(fallen.positions[0]?.sl).toBe(best);
    const stopped = await run(...up(1.101, 1.102, 1.103, 1.104, 1.105, 1.106), [1.106, 1.106, 1.1, 1.1]);
    expect(stopped.fills.filter(({ reason }) => reason === 'sl')).toMatchObject([{ volume: 0.1, price: best }]);
  });

  it('sends nothing that the broker refuses', async () => {
    const { rejects } = await run(...up(1.101, 1.102, 1.103, 1.104, 1.104, 1.104, 1.105, 1.106));
    expect(rejects).toEqual([]);
  });
});
