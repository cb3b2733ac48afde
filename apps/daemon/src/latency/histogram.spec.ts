import fc from 'fast-check';
import { Histogram } from './latency-book';

const shares = [0.5, 0.95, 0.99, 1];

/** The smallest value at or below which the share of all values lies. */
const exactly = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;

describe('a histogram', () => {
  it('states percentiles never too low, and at most 1/64 too high', () => {
    const spread = fc.double({ min: 0, max: 41.5, noNaN: true }).map((power) => Math.round(2 ** power));
    fc.assert(
      fc.property(fc.array(fc.oneof(spread, fc.integer({ min: 1, max: 300 })), { minLength: 1 }), (values) => {
        const histogram = new Histogram();
        for (const value of values) histogram.record(value);
        const sorted = [...values].sort((a, b) => a - b);
        const told = histogram.percentiles(shares);
        told.forEach((value, index) => {
          const exact = exactly(sorted, shares[index] ?? 0);
          expect(Number.isSafeInteger(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(exact);
          expect(value).toBeLessThanOrEqual(exact * (1 + 1 / 64));
        });
        expect(histogram.count).toBe(values.length);
        expect(told.at(-1)).toBe(sorted.at(-1));
      }),
      { numRuns: 500 },
    );
  });

  it('separates the edges of every doubling', () => {
    for (let power = 1; power <= 41; power++) {
      for (const value of [2 ** power - 1, 2 ** power, 2 ** power + 1]) {
        const histogram = new Histogram();
        histogram.record(value);
        histogram.record(value * 1.02 + 1);
        expect(histogram.percentiles([0.5])[0]).toBeGreaterThanOrEqual(value);
        expect(histogram.percentiles([0.5])[0]).toBeLessThanOrEqual(value * (1 + 1 / 64));
      }
    }
  });

  it('counts values out of its range at the nearer end, and has no percentiles before the first value', () => {
    const histogram = new Histogram();
    expect([histogram.count, histogram.max, ...histogram.percentiles([0.5, 0.99])]).toEqual([0, 0, 0, 0]);
    histogram.record(-5);
    expect(histogram.percentiles([0.5, 1])).toEqual([1, 1]);
    histogram.record(1e15);
    expect([histogram.max, histogram.percentiles([1])[0]]).toEqual([3_600_000_000_000, 3_600_000_000_000]);
  });
});
