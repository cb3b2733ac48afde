import { sum } from '../exact-sum';
import { figuresOf } from '../figures';
import { keyFigures } from './key-figures';
import { grouped } from './markup';

const account = { currency: 'USD', leverage: 100, capital: 10_000 };
const [startMs, endMs] = [Date.UTC(2024, 0, 8), Date.UTC(2024, 0, 9)];
const quiet = {
  ...{ startMs, endMs, realized: 0, unrealized: 0, equity: [], fills: [], rejects: [] },
  ...{ costs: new Map(), spreads: null },
};

describe('the eight figures of a page', () => {
  it('that are not defined are not a zero', () => {
    const shown = keyFigures({ figures: figuresOf(quiet, 10_000), account, benchmark: null });
    expect(shown.map(({ label, value }) => `${label} ${value}`)).toEqual([
      ...['Net profit 0.00 USD', 'Return 0.00 %', 'Max drawdown 0.00 %', 'Sharpe –', 'Profit factor –', 'Win rate –'],
      ...['Expectancy per trade –', 'Trades 0'],
    ]);
    expect(shown.map(({ tone }) => tone)).toEqual(Array(8).fill(null));
    expect(shown[1]?.note).toBe('– a year');
  });

  it('state what is floating beside the net profit, and have commas', () => {
    const figures = { ...figuresOf(quiet, 10_000), netProfit: -1_234.5, openProfit: 2_000, open: 3 };
    const [first] = keyFigures({ figures, account, benchmark: null });
    expect(first).toEqual({
      ...{ label: 'Net profit', value: '-1,234.50 USD', tone: 'loss' },
      note: 'of 10,000.00; 2,000.00 floating in 3 open',
    });
  });
});

describe('a number on a page', () => {
  it.each([
    ...[
      ['999.99', '999.99'],
      ['1000', '1,000'],
      ['-1234567.89', '-1,234,567.89'],
      ['–', '–'],
    ],
    ...[
      ['1.23456', '1.23456'],
      ['2023-02-01', '2023-02-01'],
      ['v1000', 'v1000'],
      ['0.12345', '0.12345'],
    ],
  ])('%s is %s', (text, shown) => {
    expect(grouped(text)).toBe(shown);
  });

  it('is what it was without the commas', () => {
    expect(sum(['1234567.89', '-1000'].map((text) => Number(grouped(text).replaceAll(',', ''))))).toBe(1_233_567.89);
  });
});
