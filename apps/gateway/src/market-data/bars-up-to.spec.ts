import { Timeframe, type BarColumns } from '@libs/terminal-client';
import { barsUpTo } from './bars-up-to';

/** Bars of a minute at these seconds. */
function barsAt(times: readonly number[]): BarColumns {
  const zeros = times.map(() => 0);
  const prices = { open: zeros, high: zeros, low: zeros, close: zeros };
  return { time: [...times], ...prices, tick_volume: zeros, spread: zeros, real_volume: zeros };
}

describe('the bars up to a moment', () => {
  const begin = (first: number, last: number) => {
    const asked: [number, number][] = [];
    const read = (from: number, to: number): Promise<BarColumns> => {
      asked.push([from, to]);
      if (asked.length > 50) throw new Error('it does not end');
      const times: number[] = [];
      for (let time = Math.max(first, Math.ceil(from / 60) * 60); time <= Math.min(to, last); time += 60)
        times.push(time);
      return Promise.resolve(barsAt(times));
    };
    return { asked, read };
  };

  it('are each one once, the newest ones, over as many reads as a closed market needs', async () => {
    const { asked, read } = begin(600_000, 900_000);
    // A weekend without bars before the moment.
    const bars = await barsUpTo(Timeframe.M1, 100, 960_000, read);
    expect(Array.from(bars.time)).toEqual(Array.from({ length: 100 }, (_, index) => 900_000 - (99 - index) * 60));
    expect(asked.length).toBeGreaterThan(1);
    // The reads join without a gap, and no second is read twice.
    asked.slice(1).forEach(([, to], index) => expect(to).toBe((asked[index]?.[0] ?? 0) - 1));
  });

  it('are all that there are, and end at the first second', async () => {
    const { asked, read } = begin(60, 120);
    expect(Array.from((await barsUpTo(Timeframe.M1, 10, 5_000, read)).time)).toEqual([60, 120]);
    expect(asked.at(-1)?.[0]).toBe(0);
  });
});
