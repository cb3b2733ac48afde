import { shortNumber } from './figure-rows';

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
