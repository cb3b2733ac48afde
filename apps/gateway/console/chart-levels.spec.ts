import { barOf, levelsOf, priceRange, timeTicks } from './chart-levels';

const minute = (day: number, hour: number, value: number): number => Date.UTC(2024, 0, day, hour, value) / 1_000;
const bars = [{ high: 1.2, low: 1.1 }];
const level = (price: number) => ({ price, text: 'SL', colour: '--loss' });

describe('the chart of prices', () => {
  it('has the levels of its own symbol, and none for a level of 0', () => {
    const row = { symbol: 'EURUSD', type: 1, price_open: 1.2, sl: 1.3, tp: 0 };
    const order = { ...row, type: 2, price_open: 1.1, sl: 0 };
    const levels = levelsOf('EURUSD', [row, { ...row, symbol: 'GBPUSD' }], [order]);
    expect(levels.map(({ price, text }) => `${text} ${price}`)).toEqual(['SELL 1.2', 'SL 1.3', 'BUY LIMIT 1.1']);
  });

  it('shows levels near the bars, and is not flattened by those that are far away', () => {
    const [low, high] = priceRange(bars, [level(1.05), level(0.5)]);
    expect(low).toBeCloseTo(1.041);
    expect(high).toBeCloseTo(1.209);
    const [alone, same] = priceRange([{ high: 1, low: 1 }], []);
    expect(same).toBeGreaterThan(alone);
  });

  it('has a deal on the bar in which it was made', () => {
    const times = [minute(5, 10, 0), minute(5, 10, 1), minute(8, 0, 0)];
    const at = (time: number) => barOf({ time_msc: time * 1_000 + 500 }, times);
    expect([at(minute(5, 9, 0)), at(minute(5, 10, 0)), at(minute(6, 0, 0)), at(minute(8, 1, 0))]).toEqual([
      -1, 0, 1, 2,
    ]);
  });

  it('has round times, and the date where a day begins, with no place for a weekend', () => {
    const friday = Array.from({ length: 60 }, (_, index) => minute(5, 23, index));
    const monday = Array.from({ length: 60 }, (_, index) => minute(8, 0, index));
    const ticks = [...timeTicks([...friday, ...monday], 8)];
    expect(ticks).toEqual([
      ...[
        [15, '23:15'],
        [30, '23:30'],
        [45, '23:45'],
        [60, '8 Jan'],
        [75, '00:15'],
        [90, '00:30'],
        [105, '00:45'],
      ],
    ]);
    expect(timeTicks([...friday, ...monday], 2).size).toBeLessThanOrEqual(2);
    expect(timeTicks([], 5).size).toBe(0);
  });
});
