import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { fromFixedPoint, toFixedPoint } from './fixed-point';

/** Decimals as they come in prices, volumes and money, and doubles of any kind. */
const numbers = fc.oneof(
  fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 10 }))
    .map(([digits, decimals]) => Number(`${digits}e-${decimals}`)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

describe('fixed point', () => {
  it('is the decimal number that the double prints as, and gives the double back', () => {
    fc.assert(
      fc.property(numbers, (value) => {
        const scaled = toFixedPoint(value);
        if (Number.isNaN(scaled)) return;
        expect(new Decimal(value).mul(1e8).toNumber()).toBe(scaled);
        expect(fromFixedPoint(scaled)).toBe(value);
      }),
    );
  });

  it('holds every number of up to eight decimals below ten million, and no other', () => {
    expect(toFixedPoint(0.1)).toBe(10_000_000);
    expect(toFixedPoint(9_999_999.99999999)).toBe(999_999_999_999_999);
    for (const value of [0.1 + 0.2, 1e-9, 1e7, Number.NaN, Infinity]) expect(toFixedPoint(value)).toBeNaN();
  });

  it('adds and subtracts as decimals do', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [left, right] = [toFixedPoint(a), toFixedPoint(b)];
        if (Number.isNaN(left + right)) return;
        expect(fromFixedPoint(left + right)).toBe(Decimal.add(a, b).toNumber());
        expect(fromFixedPoint(left - right)).toBe(Decimal.sub(a, b).toNumber());
      }),
    );
  });
});
