import * as fc from 'fast-check';
import { innerBar, outerBar, packedRows, unpackedRows } from './packed-rows';

const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });

describe('the columns of a page', () => {
  it('are differences', () => {
    expect(
      packedRows([
        [10, 100],
        [11, 98],
      ]),
    ).toEqual([10, 100, 1, -2]);
  });

  it('are the same when they are read', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(whole, whole, whole)), (rows) => {
        expect(unpackedRows(packedRows(rows), 3)).toEqual(rows);
      }),
    );
  });

  it('keep each bar', () => {
    fc.assert(
      fc.property(fc.tuple(whole, whole, whole, whole), ([a, b, c, d]) => {
        const bar = [a, Math.max(a, b, c, d), Math.min(a, b, c, d), b] as const;
        expect(outerBar(innerBar(bar))).toEqual(bar);
      }),
    );
  });
});
