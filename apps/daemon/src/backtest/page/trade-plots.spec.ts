import type { PageTrade } from './page-data';
import { excursionPlot, resultBins, resultPlot } from './trade-plots';

const trade = (changes: Partial<PageTrade>): PageTrade => ({
  ...{ opened: 60, closed: 120, side: 'buy', symbol: 'EURUSD', lots: 0.1, entry: 2, exit: 2.1, by: 'tp' },
  ...{ costs: 0, result: 10, mae: 0.01, mfe: 0.1 },
  ...changes,
});

describe('the distribution of results', () => {
  it('has round borders, one of which is 0, and every trade once', () => {
    const results = [-57.2, -3, -0.01, 0, 4.99, 5, 120];
    const bins = resultBins(results);
    expect(bins.reduce((total, { trades }) => total + trades, 0)).toBe(results.length);
    expect(bins.some(({ from }) => from === 0)).toBe(true);
    expect(bins.find(({ from }) => from === 0)).toMatchObject({ to: 10, trades: 3 });
    for (const { from } of bins) expect(from % 10).toBeCloseTo(0);
  });

  it('is empty without a trade, and one bar where all are alike', () => {
    expect(resultBins([])).toEqual([]);
    expect(resultPlot([], 2)).toBe('');
    expect(resultBins([0, 0])).toEqual([{ from: 0, to: 1, trades: 2 }]);
    expect(
      [...resultPlot([trade({}), trade({ result: -5 })], 2).matchAll(/class="(won|lost)"/g)].length,
    ).toBeGreaterThan(1);
  });
});

describe('the excursions', () => {
  it('are dots in the colour of the result, of the trades of which they are known', () => {
    const picture = excursionPlot([trade({}), trade({ result: -1 }), trade({ mae: null, mfe: null })]);
    const dots = (name: string): number =>
      [...(new RegExp(`dots ${name}" d="([^"]*)`).exec(picture)?.[1] ?? '').matchAll(/M/g)].length;
    expect([dots('won'), dots('lost')]).toEqual([1, 1]);
    expect(excursionPlot([trade({ mae: null, mfe: null })])).toBe('');
  });
});
