import fc from 'fast-check';
import { RangeExtremes } from './excursions';

describe('the extremes of a range of rows', () => {
  it('are the lowest and the highest of its rows', () => {
    const counts = fc.constantFrom(0, 1, 63, 64, 65, 200, 1_000);
    fc.assert(
      fc.property(counts, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 1_000_003 }), (count, from, to, seed) => {
        const values = Array.from({ length: count }, (_, row) => ((row + 1) * seed) % 10_007);
        const rows = Float64Array.from(values.flatMap((value) => [0, value + 5, value]));
        const [first = 0, end = 0] = [from % (count + 1), to % (count + 1)].sort((a, b) => a - b);
        const wanted = values.slice(first, end);
        const extremes = new RangeExtremes({ rows, width: 3, low: 2, high: 1 });
        expect(extremes.between(first, end)).toEqual([
          Math.min(...wanted),
          wanted.length === 0 ? -Infinity : Math.max(...wanted) + 5,
        ]);
      }),
    );
  });
});
