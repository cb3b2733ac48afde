import { moved, newestBars, shownBars, zoomed } from './chart-window';

const bars = Array.from({ length: 400 }, (_, index) => ({ time_server: index * 60 }));
const ends = (shown: readonly { readonly time_server: number }[]) => [
  ...[shown.length, (shown[0]?.time_server ?? 0) / 60, (shown.at(-1)?.time_server ?? 0) / 60],
];

describe('the bars of a chart', () => {
  it('are the newest ones, also when there are new ones', () => {
    expect(ends(shownBars(bars, newestBars))).toEqual([150, 250, 399]);
    expect(ends(shownBars([...bars, { time_server: 400 * 60 }], newestBars))).toEqual([150, 251, 400]);
    expect(shownBars([], newestBars)).toEqual([]);
    expect(shownBars(bars.slice(0, 5), newestBars)).toHaveLength(5);
  });

  it('stay where they were moved to when there are new ones, and do not leave what was read', () => {
    const earlier = moved(bars, newestBars, -100);
    expect(ends(shownBars(bars, earlier))).toEqual([150, 150, 299]);
    expect(ends(shownBars([...bars.slice(1), { time_server: 400 * 60 }], earlier))).toEqual([150, 150, 299]);
    expect(ends(shownBars(bars, moved(bars, newestBars, -1_000)))).toEqual([150, 0, 149]);
    expect(moved(bars, earlier, 500)).toEqual(newestBars);
  });

  it('become more and fewer at the same end', () => {
    const earlier = moved(bars, newestBars, -100);
    expect(ends(shownBars(bars, zoomed(bars, earlier, 0.5)))).toEqual([75, 225, 299]);
    expect(ends(shownBars(bars, zoomed(bars, earlier, 10)))).toEqual([400, 0, 399]);
    expect(zoomed(bars, newestBars, 0.01).count).toBe(30);
  });
});
