import { join } from 'node:path';
import { backtest, type TestBar } from '@libs/strategy/testing';

const file = join(__dirname, 'trend-pullback.ts');
const params = { trend: 3, strength: 3, entry: 30, exit: 60, stopAtr: 3, volume: 0.1 };
const streams = { fast: 'EURUSD@M1', slow: 'EURUSD@M5' };
const pip = 0.0001;

/** A bar of this close, two pips high. */
const bar = (close: number): TestBar => [close, close + pip, close - pip, close];
/** An hour in which the price moves by this each minute. */
const trend = (step: number): readonly TestBar[] => Array.from({ length: 60 }, (_, minute) => bar(1.1 + step * minute));
const moves = (from: number, ...steps: readonly number[]): readonly TestBar[] => {
  let close = from;
  return steps.map((step) => bar((close += step)));
};
const run = (step: number, ...steps: readonly number[]) =>
  backtest(file, { bars: [...trend(step), ...moves(1.1 + 59 * step, ...steps)], params, streams });

describe('trend-pullback', () => {
  const fall = [-5 * pip, -5 * pip, -5 * pip];

  it('buys a fall of the fast stream while the slow one rises', async () => {
    const { positions, fills } = await run(2 * pip, ...fall);
    expect(fills).toMatchObject([{ side: 'buy', entry: 'in' }]);
    expect(positions[0]?.sl).toBeLessThan(positions[0]?.avgPrice ?? 0);
  });

  it('does not buy it while the slow one falls', async () => {
    const { fills } = await run(-2 * pip, ...fall);
    expect(fills.filter(({ side, entry }) => side === 'buy' && entry === 'in')).toEqual([]);
  });

  it('sells a rise while the slow one falls', async () => {
    const { fills } = await run(-2 * pip, 5 * pip, 5 * pip, 5 * pip);
    expect(fills).toMatchObject([{ side: 'sell', entry: 'in' }]);
  });

  it('closes when the price has come back', async () => {
    const { trades } = await run(2 * pip, ...fall, 6 * pip, 6 * pip, 6 * pip);
    expect(trades).toMatchObject([{ side: 'buy', exitReason: 'strategy' }]);
  });
});
