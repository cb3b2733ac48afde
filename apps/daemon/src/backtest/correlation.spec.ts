import { correlationOf } from './portfolio-report';

describe('the correlation of daily changes', () => {
  const changes = [0.01, -0.02, 0.005, 0.03, -0.01];

  it('is 1 of what moves alike, -1 of what moves against each other, whatever the scale', () => {
    expect(correlationOf(changes, changes)).toBe(1);
    expect(
      correlationOf(
        changes,
        changes.map((change) => 0.001 - change / 7),
      ),
    ).toBe(-1);
  });

  it('is that of a table of statistics', () => {
    // Deviations -2, -1, 0, 1, 2 and -1, -2, 1, 0, 2: their products add up to 8, the squares of each to 10.
    expect(correlationOf([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])).toBe(0.8);
  });

  it('is unknown for too few days, for different days, and for constant prices', () => {
    expect(correlationOf([1, 2, 3, 4], [1, 2, 3, 4])).toBeNull();
    expect(correlationOf(changes, [...changes, 0])).toBeNull();
    expect(correlationOf(changes, [0, 0, 0, 0, 0])).toBeNull();
  });
});
