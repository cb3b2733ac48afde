import { countText, lotsText, moneyText, priceText, shownDigits, volumeText } from './figure-text';

describe('a price for people', () => {
  it.each([
    [1.1, 5, '1.10000'],
    [1, 5, '1.00000'],
    [1.152475, 5, '1.152475'],
    [1.0999999999, 5, '1.10000'],
    [1.1 + 0.0001 - 0.0001, 5, '1.10000'],
    [150.5, 3, '150.500'],
    [2000, 0, '2000'],
    [-0.000000001, 5, '0.00000'],
    [1.1, undefined, '1.1'],
    [0.1 + 0.2, undefined, '0.3'],
    [2, undefined, '2'],
    [0.00000012, undefined, '0.00000012'],
    [1e21, 5, '1000000000000000000000'],
    [1e21, undefined, '1000000000000000000000'],
  ])('%d of a symbol with %p digits is %s', (price, digits, text) => {
    expect(priceText(price, digits)).toBe(text);
  });
});

describe('the digits that prices of a symbol show', () => {
  it.each([
    [[1.1, 1.15247], 5],
    [[1.1523, 1.15247, 1.15333333, 1.16001], 5],
    [[150.5, 151.123], 3],
    [[2000], 0],
    [[1.1, 1.2, 1.15247], 2],
    [[1.1, 1.2, 1.15247333], 5],
    [[], 0],
  ])('%p: %d', (prices, digits) => {
    expect(shownDigits(prices)).toBe(digits);
  });
});

describe('a volume for people', () => {
  it.each([
    [0.1, '0.1'],
    [0.1 + 0.2, '0.3'],
    [1, '1'],
    [100, '100'],
    [0.0009999, '0.0009999'],
    [1e-8, '0.00000001'],
    [-0.0000000001, '0'],
  ])('%d is %s', (volume, text) => {
    expect(volumeText(volume)).toBe(text);
  });
});

describe('a count for people', () => {
  it('has the noun of one and of others', () => {
    expect([0, 1, 2].map((count) => countText(count, 'deal'))).toEqual(['0 deals', '1 deal', '2 deals']);
    expect([1, 2].map((count) => countText(count, 'bar is', 'bars are'))).toEqual(['1 bar is', '2 bars are']);
    expect([0.1, 1, 1.5].map((volume) => lotsText(volume))).toEqual(['0.1 lots', '1 lot', '1.5 lots']);
    expect(lotsText(1, 'lot is open', 'lots are open')).toBe('1 lot is open');
  });
});

describe('money for people', () => {
  it.each([
    [9999.1, 2, '9999.10'],
    [0.1 + 0.2, 2, '0.30'],
    [-0.001, 2, '0.00'],
    [-2.5, 2, '-2.50'],
    [10_000, 0, '10000'],
    [1.23456789, 8, '1.23456789'],
    [-7, undefined, '-7.00'],
  ])('%d in a currency with %p digits is %s', (amount, digits, text) => {
    expect(moneyText(amount, digits)).toBe(text);
  });
});
