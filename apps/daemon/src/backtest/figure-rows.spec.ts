import { amountsIn, figureRows, shortNumber } from './figure-rows';
import { figuresOf } from './figures';

describe('a figure as text', () => {
  it.each([
    [null, '–'],
    [NaN, '–'],
    [Infinity, '–'],
    [-Infinity, '–'],
    [-0, '0.00'],
    [-0.001, '0.00'],
    [12.345, '12.35'],
  ])('of %p is %s', (value, text) => expect(shortNumber(value)).toBe(text));
});

describe('an amount', () => {
  it.each([
    ['USD', '1234.50'],
    ['JPY', '1235'],
    ['BHD', '1234.500'],
    ['', '1234.50'],
  ])('in %p has the digits of the currency: %s', (currency, text) => {
    expect(amountsIn(currency)(1234.5)).toBe(text);
    expect(amountsIn(currency)(null)).toBe('–');
  });
});

describe('annualised figures', () => {
  const rowsOf = (tradingDays: number | undefined): Readonly<Record<string, string>> => {
    const [startMs, endMs] = [Date.UTC(2024, 0, 8), Date.UTC(2024, 0, 9)];
    const costs = new Map<number, never>();
    const run = {
      startMs,
      endMs,
      realized: 0,
      unrealized: 0,
      equity: [],
      fills: [],
      rejects: [],
      costs,
      spreads: null,
    };
    const annual = { cagrPct: 250, calmar: 12, sharpe: 4, sortino: 5, volatilityPct: 9 };
    // Reports of earlier versions do not have the days.
    const { tradingDays: _, ...others } = figuresOf(run, 10_000);
    const figures = { ...others, ...annual, ...(tradingDays === undefined ? {} : { tradingDays }) };
    const account = { currency: 'USD', leverage: 100, capital: 10_000 };
    return Object.fromEntries(figureRows({ figures, account, benchmark: null }));
  };

  it('of less than a year leave out the growth a year, and say of how many days they are', () => {
    expect(rowsOf(13)).toMatchObject({
      'annual growth (CAGR)': '– (less than a year)',
      Calmar: '– (less than a year)',
      'Sharpe, annualised': '4.00 (of 13 days)',
      'Sortino, annualised': '5.00 (of 13 days)',
      'volatility, annualised': '9.00 % (of 13 days)',
    });
  });

  it.each([245, 260, undefined])('of %p days are stated as they are', (days) => {
    expect(rowsOf(days)).toMatchObject({ 'annual growth (CAGR)': '250.00 %', Calmar: '12.00' });
    expect(rowsOf(days)).toMatchObject({ 'Sharpe, annualised': '4.00', 'volatility, annualised': '9.00 %' });
  });
});
