import { TickGaps } from './tick-gaps';

describe('TickGaps', () => {
  it('counts what is left out of a symbol’s own numbers, and nothing else', () => {
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

  it('does not count what two streams bring twice', () => {
    const gaps = new TickGaps();
    for (const number of [1, 2, 1, 2, 3, 3]) gaps.note('EURUSD', number);
    expect(gaps.gaps).toBe(0);
  });

  it('counts one gap when the gateway numbers anew, and none between its old numbers and its new ones', () => {
    const gaps = new TickGaps();
    gaps.note('EURUSD', 500);
    gaps.restart();
    gaps.note('EURUSD', 4);
    gaps.note('EURUSD', 5);
    expect([gaps.gaps, gaps.lost]).toEqual([1, 0]);
  });

  it('misses nothing of a symbol while nobody wants it, nor of a gateway that does not number', () => {
    const gaps = new TickGaps();
    gaps.note('EURUSD', 1);
    gaps.keep(new Set(['GBPUSD']));
    gaps.note('EURUSD', 90);
    gaps.note('GBPUSD', undefined);
    expect(gaps.gaps).toBe(0);
  });
});
