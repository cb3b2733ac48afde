import type { BarPoint } from '../backtest-result';
import type { EquityPoint } from '../equity-curve';
import { pageColumns } from './page-columns';
import { reportCsv } from '../trades-csv';
import { barsOf, equityOf, tradesOf } from './page-data';
import { columnsOf } from './trade-list';

const startMs = Date.UTC(2024, 0, 8);
const minutes = 28_800;
let seed = 7;
/** A whole number from −20 to 20. */
const step = (): number => ((seed = (seed * 16_807) % 2_147_483_647) % 41) - 20;
let level = 130_000;
const prices = Array.from({ length: minutes }, (_, minute): BarPoint => {
  const open = level;
  level += step();
  const [high, low] = [Math.max(open, level) + Math.abs(step()), Math.min(open, level) - Math.abs(step())];
  return [startMs + minute * 60_000, open / 1e5, high / 1e5, low / 1e5, level / 1e5];
});
let cents = 1_000_000;
const equity = prices.map(([timeMs]): EquityPoint => [timeMs, (cents += step() * 10) / 100]);
const trades = Array.from({ length: 1_270 }, (_, index) => ({
  ...{
    position: index,
    side: index % 2 === 0 ? ('buy' as const) : ('sell' as const),
    symbol: 'GBPUSD',
    tag: null,
    volume: 0.1,
  },
  ...{ openedMs: startMs + index * 1_200_000, closedMs: startMs + index * 1_200_000 + 900_500 },
  ...{ entryPrice: 1.30015, exitPrice: 1.30025, exitReason: 'tp' as const, realized: 1, commission: -0.7, swap: -0.15 },
  excursion: { mae: 0.0001, mfe: 0.0002 },
}));
const data = pageColumns(
  { trades, account: { capital: 10_000, currency: 'USD' }, benchmark: { symbol: 'GBPUSD' } },
  { prices, equity },
);

describe('the data of a page', () => {
  it('take less than 0.85 MB for a month of minutes and 1270 trades', () => {
    expect(JSON.stringify(data).length).toBeLessThan(850_000);
  });

  it('are the bars, the equity and the trades of the run', () => {
    const seconds = (timeMs: number): number => (timeMs - startMs) / 1_000;
    expect(barsOf(data)).toEqual(prices.map(([timeMs, ...bar]) => [seconds(timeMs), ...bar]));
    expect(equityOf(data)).toEqual(equity.map(([timeMs, value]) => [seconds(timeMs), value]));
    expect(tradesOf(data)[1]).toEqual({
      ...{ opened: 1_200, closed: 2_100.5, side: 'sell', symbol: 'GBPUSD', lots: 0.1, entry: 1.30015, exit: 1.30025 },
      ...{ by: 'tp', costs: -0.85, result: 1, mae: 0.0001, mfe: 0.0002 },
    });
    expect(tradesOf(data)).toHaveLength(1_270);
  });

  it.each([
    ['JPY', 10_001],
    ['BHD', 10_000.123],
  ])('have the equity to the last digit of an account in %s', (currency, value) => {
    const page = pageColumns(
      { trades: [], account: { capital: 10_000, currency }, benchmark: null },
      { prices, equity: [[startMs, value]] },
    );
    expect(equityOf(page)).toEqual([[0, value]]);
  });

  it('have the tag of each trade where one has a tag', () => {
    const tagged = trades
      .slice(0, 3)
      .map((trade, index) => ({ ...trade, tag: ['late', null, 'early'][index] ?? null }));
    const page = pageColumns(
      { trades: tagged, account: { capital: 1, currency: 'USD' }, benchmark: null },
      { prices: [], equity: [] },
    );
    const shown = tradesOf(page);
    expect(shown.map(({ tag }) => tag)).toEqual(['late', '', 'early']);
    expect(columnsOf(shown).at(-1)).toBe('tag');
    expect(tradesOf(data)[0]).not.toHaveProperty('tag');
    const csv = reportCsv(tagged).split('\n');
    expect(csv.map((line) => line.split(',').at(-1))).toEqual(['tag', 'late', '', 'early', '']);
  });
});

describe('the data of years', () => {
  it('keep the page below a megabyte: points of lines are left out, but no trade', () => {
    const years = [
      ...prices,
      ...prices.map((bar): BarPoint => [bar[0] + minutes * 60_000, bar[1], bar[2], bar[3], bar[4]]),
    ];
    const long = years.map(([timeMs]): EquityPoint => [timeMs, (cents += step() * 10) / 100]);
    const many = Array.from({ length: 4 }, () => trades).flat();
    const report = { trades: many, account: { capital: 10_000, currency: 'USD' }, benchmark: { symbol: 'GBPUSD' } };
    const page = pageColumns(report, { prices: years, equity: long });
    expect(JSON.stringify(page).length).toBeLessThan(850_000);
    expect(tradesOf(page)).toHaveLength(many.length);
    const [low, high] = [Math.min(...years.map((bar) => bar[3])), Math.max(...years.map((bar) => bar[2]))];
    expect(Math.min(...barsOf(page).map((bar) => bar[3]))).toBe(low);
    expect(Math.max(...barsOf(page).map((bar) => bar[2]))).toBe(high);
  });
});
