import { BarPace } from './bar-feed';

describe('the delay between reads of new bars', () => {
  it('grows to a second until the pace of the bars is known', () => {
    const pace = new BarPace();
    const waits = Array.from({ length: 7 }, () => {
      const { waitMs } = pace;
      pace.looked();
      return waitMs;
    });
    expect(waits).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
  });

  it('is a tenth of the quickest of the last bars', () => {
    const pace = new BarPace();
    pace.looked();
    pace.note(1, 1_000);
    pace.note(2, 1_400);
    expect(pace.waitMs).toBe(20);
  });
});
