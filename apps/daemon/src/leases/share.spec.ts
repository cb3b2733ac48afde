import fc from 'fast-check';
import { shareOf } from './placement';

describe('the share of a host', () => {
  it.each([
    ['all units of a host that is alone', 5, [10], 10, 5],
    ['no more than its capacity', 5, [3], 3, 3],
    ['the same as that of others', 6, [10, 10, 10], 10, 2],
    ['one more where units are left', 7, [10, 10, 10], 10, 3],
    ['what full hosts leave', 9, [1, 10, 10], 10, 4],
    ['nothing on a host without room', 9, [0, 10], 0, 0],
  ])('is %s', (_case, units, capacities, own, share) => {
    expect(shareOf(units, capacities, own)).toBe(share);
  });

  it('is within the capacity, and all shares cover all units that the hosts have room for', () => {
    const capacities = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.nat({ max: 100 }), capacities, (units, all) => {
        const shares = all.map((own) => shareOf(units, all, own));
        expect(shares.every((share, index) => share >= 0 && share <= (all[index] ?? 0))).toBe(true);
        const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);
        expect(sum(shares)).toBeGreaterThanOrEqual(Math.min(units, sum(all)));
        expect(sum(shares)).toBeLessThanOrEqual(units + all.length);
      }),
    );
  });
});
