import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { exactTotal } from './deal-booking';

const amounts = fc.oneof(
  fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 12 }))
    .map(([n, e]) => Number(`${n}e-${e}`)),
  fc.constantFrom(0, -0, 1e7, 9_999_999.99, -1e15, 1e-8, 1e-9, 1e21),
);

describe('an exact total', () => {
  it('has the text of the sum in decimals', () => {
    fc.assert(
      fc.property(fc.array(amounts), fc.array(amounts), (before, added) => {
        const decimals = (from: string, all: readonly number[]): string =>
          all.reduce((sum, amount) => sum.plus(amount), new Decimal(from)).toString();
        const from = decimals('0', before);
        expect(exactTotal(from, added)).toBe(decimals(from, added));
      }),
    );
  });

  it('keeps a text that is not the shortest of its number', () => {
    expect(exactTotal('1.10', [])).toBe('1.1');
    expect(exactTotal('0.1000000000000000055511151231257827', [1])).toBe('1.1000000000000000056');
  });
});
