import type { Figures } from '../backtest/figures';
import type { SearchRow } from './search';
import { heatMaps, neighbourMeans, setValues, stability, type SetValue } from './surface';

const axes = [
  { name: 'fast', values: [5, 10, 15] },
  { name: 'slow', values: [20, 40] },
  { name: 'volume', values: [1] },
];
const setOf = (set: number, fast: number, slow: number, value: number): SetValue => ({
  ...{ set, params: { fast, slow, volume: 1 }, value },
});
/** By fast and slow; the set of 15 and 40 has failed. */
const values = [
  setOf(0, 5, 20, 10),
  setOf(1, 5, 40, -2),
  setOf(2, 10, 20, 100),
  setOf(3, 10, 40, 4),
  setOf(4, 15, 20, 7),
];

describe('the surface of a search', () => {
  it('has the mean and the best of each value of each parameter', () => {
    const points = stability(axes, values, 'netProfit').map(({ axis, points: own }) => [axis.name, own]);
    expect(points).toEqual([
      [
        'fast',
        [
          { value: 5, sets: 2, mean: 4, best: 10 },
          { value: 10, sets: 2, mean: 52, best: 100 },
          { value: 15, sets: 1, mean: 7, best: 7 },
        ],
      ],
      [
        'slow',
        [
          { value: 20, sets: 3, mean: 39, best: 100 },
          { value: 40, sets: 2, mean: 1, best: 4 },
        ],
      ],
      ['volume', [{ value: 1, sets: 5, mean: 23.8, best: 100 }]],
    ]);
  });

  it('takes the least as the best of a metric that is better when lower', () => {
    const [fast] = stability(axes, values, 'maxDrawdown');
    expect(fast?.points.map(({ best }) => best)).toEqual([-2, 4, 7]);
  });

  it('has the mean of the sets one step away on one parameter, without those that have failed', () => {
    expect([...neighbourMeans(axes, values)]).toEqual([
      [0, 49],
      [1, 7],
      [2, 7],
      [3, 49],
      [4, 100],
    ]);
  });

  it('is a map of each pair of parameters that vary, with an empty cell where no set has a value', () => {
    const maps = heatMaps(axes, values);
    expect(maps.map(({ x, y, cells }) => [y.name, x.name, cells])).toEqual([
      [
        'fast',
        'slow',
        [
          [10, -2],
          [100, 4],
          [7, null],
        ],
      ],
    ]);
  });
});

describe('the values of the sets', () => {
  const rowOf = (set: number, figures: Partial<Figures>): SearchRow => ({
    ...{ set, params: {}, window: null, error: null },
    result: { startMs: 0, endMs: 1, haltReason: null, curve: null, figures: figures as Figures },
  });

  it('leave out a set without trades, whose 0 would be the best among losses', () => {
    const rows = [rowOf(0, { returnPct: 0, trades: 0, open: 0 }), rowOf(1, { returnPct: -3, trades: 4, open: 0 })];
    expect(setValues(rows, 'returnPct')).toEqual([{ set: 1, params: {}, value: -3 }]);
  });
});
