import type { BarRecord } from '@libs/gateway-client';

/** Bars of one request: the length of a warm-up must not depend on MAX_NUM_BARS of a gateway. */
const mostPerRequest = 2_000;

/** Bars that may open between two requests: a replay may run hundreds of times faster than the clock. */
const openingMeanwhile = 100;

/** Reads `count` bars, the newest `startPos` bars before the forming one; ascending. */
export type BarsAt = (count: number, startPos: number) => Promise<BarRecord[]>;

/**
 * The last `count` bars, the forming one last, however many that are; fewer only when the gateway has no more. Each
 * request begins with the oldest bar of the one before: bars that open in between move the rest on, and leave no hole.
 * @throws Error when the requests do not meet, as when the broker's zone became known between them
 */
export async function readBars(read: BarsAt, count: number): Promise<BarRecord[]> {
  let bars = await read(Math.min(mostPerRequest, count), 0);
  while (bars.length < count && bars.length >= mostPerRequest) {
    const asked = Math.min(mostPerRequest, count - bars.length + 1 + openingMeanwhile);
    const older = await read(asked, bars.length - 1);
    const oldest = bars[0]?.time_server ?? NaN;
    const meets = older.some(({ time }) => time === bars[0]?.time);
    if (!meets) throw new Error('the bars changed during the read');
    const before = older.filter(({ time_server }) => time_server < oldest);
    bars = [...before, ...bars];
    if (older.length < asked) break;
  }
  return bars.slice(-count);
}
