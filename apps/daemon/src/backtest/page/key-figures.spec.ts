import { sum } from '../exact-sum';
import { figuresOf } from '../figures';
import { keyFigures } from './key-figures';
import { spanText } from '../short-number';
import { axisText, grouped, scrolledTable } from './markup';

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
    expect(shown[1]?.note).toBe('in 2 days');
    expect(shown.slice(4, 7).map(({ note }) => note)).toEqual(Array(3).fill('no closed trades'));
  });

  it('of a short run have no growth a year, and the Sharpe ratio its standard error', () => {
    const run = { ...figuresOf(quiet, 10_000), cagrPct: 250, calmar: 12, sharpe: 4, sortino: 5 };
    const shownOf = (tradingDays: number) => {
      const [, growth, , sharpe] = keyFigures({ figures: { ...run, tradingDays }, account, benchmark: null });
      return [growth?.note, sharpe?.value, sharpe?.tone, sharpe?.note];
    };
    // √((252 + 4² / 2) / 13) is 4.47: the ratio may be luck alone.
    expect(shownOf(13)).toEqual(['in 13 days', '4.00 ± 4.47', null, 'of 13 days; Sortino 5.00']);
    expect(shownOf(65)).toEqual(['in 65 days', '4.00 ± 2.00', 'gain', 'of 65 days; Sortino 5.00']);
    expect(shownOf(250)).toEqual(['250.00 % a year', '4.00', 'gain', 'Sortino 5.00, Calmar 12.00']);
  });

  it('have the digits of the currency', () => {
    const figures = { ...figuresOf(quiet, 1_000_000), netProfit: -12_345, expectancy: 18 };
    const yen = { ...account, currency: 'JPY' };
    const shown = keyFigures({ figures, account: yen, benchmark: null });
    expect(shown.map(({ value }) => value)).toEqual(expect.arrayContaining(['-12,345 JPY', '18']));
    expect(shown[0]?.note).toBe('of 1,000,000');
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

describe('a value of an axis', () => {
  it.each([
    [10_000, 200, '10,000'],
    [1.3344, 0.0005, '1.3344'],
    [-0.0001, 1, '0'],
    [9_500_000, 500_000, '9,500,000'],
    [70_000_000, 10_000_000, '70 M'],
    [-0.25, 0.25, '-0.25'],
    [0.75, 0.25, '0.75'],
    [2.5, 2.5, '2.5'],
    [1.0625, 0.0125, '1.0625'],
    [70_050_000, 50_000, '70.05 M'],
    [-1_234_000_000, 1_000_000, '-1,234 M'],
  ])('%d beside labels %d apart is %s', (value, apart, text) => {
    expect(axisText(value, apart)).toBe(text);
  });
});

describe('a length of time on a page', () => {
  it.each([
    ...[
      [0, '0 min'],
      [9.76, '9.8 min'],
      [59.96, '60 min'],
      [60, '1 h 0 min'],
      [625.11, '10 h 25 min'],
    ],
    ...[
      [2_520, '1 d 18 h'],
      [14_399, '9 d 23 h'],
      [519_034, '360 d'],
    ],
  ])('of %d minutes is %s', (minutes, text) => {
    expect(spanText(Number(minutes))).toBe(text);
  });
});

describe('a table of a page', () => {
  it('has columns of texts at the left, also where some are not known', () => {
    const html = scrolledTable(
      'halts',
      ['time', 'times', 'why'],
      [
        ['2024-01-08', '1200', '–'],
        ['–', '–', 'a & b'],
      ],
    );
    expect(html).toContain('<th scope="col" class="text">time</th><th scope="col">times</th>');
    expect(html).toContain('<td class="text">2024-01-08</td><td>1,200</td><td class="text">–</td>');
    expect(html).toContain('a &amp; b');
    expect(html).not.toContain('cards');
  });

  it('that is wider than a phone has the name of its column in each cell', () => {
    const names = ['strategy', 'net profit', 'contribution %', 'max drawdown %', 'state'];
    const html = scrolledTable('strategies', names, [['one', '1', '2', '3', 'halted: by the operator, on purpose']]);
    expect(html).toContain('<table class="cards" role="table">');
    expect(html).toContain('<td role="cell" data-label="max drawdown %">3</td>');
    expect(html).toContain('class="text long" role="cell" data-label="state"');
  });
});
