import { backoffMs } from './backoff';

describe('a back-off', () => {
  it('doubles from the first wait to the longest, and stays there', () => {
    const waits = [0, 1, 2, 3, 4, 1_000, 1_000_000].map((attempt) =>
      backoffMs(attempt, { firstMs: 500, longestMs: 3_000 }),
    );
    expect(waits).toEqual([500, 1_000, 2_000, 3_000, 3_000, 3_000, 3_000]);
  });

  it('does not wait at all if its first wait is 0, after any number of failures', () => {
    expect(backoffMs(5_000, { firstMs: 0, longestMs: Infinity })).toBe(0);
  });

  it('never waits longer than the longest wait, even at first', () => {
    expect(backoffMs(0, { firstMs: 500, longestMs: 300 })).toBe(300);
  });
});
