import type { BarRecord } from '@libs/gateway-client';
import * as fc from 'fast-check';
import { readBars } from './stream-bars';

const bar = (minute: number): BarRecord => ({
  ...{ time: new Date(minute * 60_000).toISOString(), open: minute, high: minute, low: minute, close: minute },
  ...{ tick_volume: 1, time_server: minute * 60 },
});

describe('readBars', () => {
  it('reads any number of bars without gaps or duplicates, even if bars open in between', async () => {
    const rolls = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9_000 }),
        fc.integer({ min: 0, max: 9_000 }),
        rolls,
        async (count, had, rolled) => {
          let newest = had - 1;
          const asked: number[] = [];
          const read = async (size: number, startPos: number): Promise<BarRecord[]> => {
            asked.push(size);
            const end = newest + 1 - startPos;
            const rows = Array.from({ length: Math.max(0, Math.min(size, end)) }, (_row, index) => index);
            newest += had === 0 ? 0 : (rolled[asked.length % 20] ?? 0);
            return rows.map((index) => bar(end - rows.length + index));
          };
          const minutes = (await readBars(read, count)).map(({ open }) => open);
          const last = had - 1;
          expect(minutes).toEqual(
            Array.from({ length: Math.min(count, had) }, (_row, index) => last - Math.min(count, had) + 1 + index),
          );
          expect(Math.max(...asked)).toBeLessThanOrEqual(2_000);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not join parts that do not overlap', async () => {
    const read = async (size: number, startPos: number): Promise<BarRecord[]> =>
      Array.from({ length: size }, (_row, index) => bar(index + (startPos === 0 ? 100_000 : 0)));
    await expect(readBars(read, 3_000)).rejects.toThrow('changed during the read');
  });
});
