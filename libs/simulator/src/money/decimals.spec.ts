import fc from 'fast-check';
import { difference, exactSum, isOnGrid, Money, sum, sumRounded } from './decimals';

const numbers = fc.oneof(
  fc
    .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 0, max: 10 }))
    .map(([digits, decimals]) => Number(`${digits}e-${decimals}`)),
  fc.double({ noNaN: true, min: -1e12, max: 1e12 }).map((value) => value + 0),
);

describe('arithmetic of prices, volumes and money', () => {
  it('adds and subtracts as decimals do', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sum(a, b)).toBe(Money.add(a, b).toNumber());
        expect(difference(a, b)).toBe(Money.sub(a, b).toNumber());
      }),
    );
  });

  it('adds in doubles only where they have all digits', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const total = exactSum(a, b);
        expect(total === null || Money.add(a, b).eq(total)).toBe(true);
      }),
    );
    expect(exactSum(9_999_990.25, 1.5)).toBe(9_999_991.75);
    expect(exactSum(9_999_999.25, 1.5)).toBeNull();
    expect(exactSum(0.1, 1e-9)).toBeNull();
  });

  it('finds multiples of a step as decimals do', () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom(0.00001, 0.01, 0.25, 0.1, 1e-9, 3), fc.boolean(), (value, step, isOn) => {
        const tried = isOn ? Money.mul(Math.round(value), step).toNumber() : value;
        expect(isOnGrid(tried, step)).toBe(new Money(tried).mod(step).isZero());
      }),
    );
  });

  it('rounds a sum as decimals do', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 0, max: 8 }), (a, b, digits) => {
        const exactly = Money.add(a, b).toDecimalPlaces(digits).toNumber();
        expect(sumRounded(a, b, digits)).toBe(exactly === 0 ? 0 : exactly);
      }),
    );
  });
});
