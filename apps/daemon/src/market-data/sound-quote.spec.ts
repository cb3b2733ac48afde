import { isSound } from './market-hub';

describe('a quote', () => {
  const quote = { timeMs: 1, bid: 1.1, ask: 1.1001 };

  it('is valid with two prices, also while bid and ask cross slightly', () => {
    expect(isSound(quote)).toBe(true);
    expect(isSound({ ...quote, bid: 1.1003 })).toBe(true);
  });

  it.each([
    { bid: 0 },
    { ask: 0 },
    { bid: -1.1 },
    { bid: 1.2 },
    { bid: Number.NaN },
    { ask: Number.POSITIVE_INFINITY },
    { timeMs: Number.NaN },
  ])('is none with %p', (wrong) => {
    expect(isSound({ ...quote, ...wrong })).toBe(false);
  });
});
