import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { sum } from './exact-sum';

const amounts = fc.oneof(
  fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((cents) => cents / 100),
  fc.constantFrom(9_999_999.99999999, 1e-8, 0.1 + 0.2, 1e9, -1e15),
);

const Wide = Decimal.clone({ precision: 100 });

describe('the sum of amounts', () => {
  it('is that of decimals', () => {
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 40 }), (list) => {
        expect(sum(list)).toBe(Wide.sum(0, ...list).toNumber());
      }),
    );
  });

  it('keeps digits that are far apart', () => {
    const list = [-9_999_999.29, 0.1 + 0.2, 1e-8, -0.03, 1e-8, 9_999_999.99999999, 0.1 + 0.2];
    expect(sum(list)).toBe(1.2800000100000002);
  });
});
