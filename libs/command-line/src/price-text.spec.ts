import { suggestion } from './nearest';
import { priceText } from './price-text';

describe('a price for people', () => {
  it.each([
    [1.1, 5, '1.10000'],
    [1, 5, '1.00000'],
    [1.152475, 5, '1.152475'],
    [150.5, 3, '150.500'],
    [1.1, undefined, '1.1'],
    [2, undefined, '2'],
  ])('%d of a symbol with %p digits is %s', (price, digits, text) => {
    expect(priceText(price, digits)).toBe(text);
  });
});

describe('the name that was probably meant', () => {
  const known = ['symbol', 'timeframe', 'num_bars', 'from_date', 'magic'];

  it.each([
    ['timeframes', 'timeframe'],
    ['magik', 'magic'],
    ['MAGIC', 'magic'],
    ['numbars', 'num_bars'],
    ['from', 'from_date'],
  ])('for %s is %s', (given, meant) => {
    expect(suggestion(given, known)).toBe(`; did you mean ${meant}?`);
  });

  it.each(['strategy', 'x', '', 'verbose'])('for %p is none', (given) => {
    expect(suggestion(given, known)).toBeNull();
  });
});
