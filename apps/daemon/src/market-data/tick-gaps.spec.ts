import { TickGaps } from './tick-feed';

describe('TickGaps', () => {
  it('counts only gaps in the numbers of a symbol', () => {
    const gaps = new TickGaps();
    const noted = (
      [
        ['EURUSD', 7],
        ['GBPUSD', 3],
        ['EURUSD', 8],
        ['GBPUSD', 4],
        ['EURUSD', 12],
        ['EURUSD', 13],
      ] as const
    ).map(([symbol, number]) => gaps.note(symbol, number));
    expect(noted).toEqual([false, false, false, false, true, false]);
    expect([gaps.gaps, gaps.lost]).toEqual([1, 3]);
  });

  it('does not count quotes that two streams deliver twice', () => {
    const gaps = new TickGaps();
    for (const number of [1, 2, 1, 2, 3, 3]) gaps.note('EURUSD', number);
    expect(gaps.gaps).toBe(0);
  });

  it('counts one gap when the numbering of the gateway restarts, and none between old and new numbers', () => {
    const gaps = new TickGaps();
    gaps.note('EURUSD', 500);
    gaps.restart();
    gaps.note('EURUSD', 4);
    gaps.note('EURUSD', 5);
    expect([gaps.gaps, gaps.lost]).toEqual([1, 0]);
  });

  it('counts nothing for a symbol without listeners, or for a gateway that does not number its quotes', () => {
    const gaps = new TickGaps();
    gaps.note('EURUSD', 1);
    gaps.keep(new Set(['GBPUSD']));
    gaps.note('EURUSD', 90);
    gaps.note('GBPUSD', undefined);
    expect(gaps.gaps).toBe(0);
  });
});
