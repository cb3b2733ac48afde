import { advice, suggestion } from './nearest';

describe('the name that was probably meant', () => {
  const known = ['symbol', 'timeframe', 'num_bars', 'from_date', 'magic'];

  it.each([
    ['timeframes', 'timeframe'],
    ['magik', 'magic'],
    ['MAGIC', 'magic'],
    ['numbars', 'num_bars'],
    ['from', 'from_date'],
    ['amgic', 'magic'],
  ])('for %s is %s', (given, meant) => {
    expect(suggestion(given, known)).toBe(`; did you mean ${meant}?`);
  });

  it.each(['strategy', 'x', '', 'verbose'])('for %p is none', (given) => {
    expect(suggestion(given, known)).toBeNull();
    expect(advice(given, ['symbol', 'magic'])).toBe('; known are symbol, magic');
  });
});
