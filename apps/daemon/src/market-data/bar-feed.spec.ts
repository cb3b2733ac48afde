import { VirtualClock } from '@libs/clock';
import * as fc from 'fast-check';
import { Slots } from '../slots';
import { BarBroker, feedOf, startMs } from '../testing/bar-broker';
import { BarFeed } from './bar-feed';
import type { ClosedBar } from './closed-bar';

describe('BarFeed', () => {
  it('gives the past up to the last closed bar, then each closed bar once and never the forming one', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    const past = await feed.subscribe(3, listener);
    expect(past.map(({ close }) => close)).toEqual([7, 8, 9]);
    await clock.advance(1_000);
    expect(heard).toEqual([]);
    broker.roll(11);
    await clock.advance(1_000);
    expect(heard).toEqual([10]);
    feed.unsubscribe(listener);
  });

  it('asks further back after an outage, so that nothing is missed', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, failures, feed, listener } = feedOf(broker);
    await feed.subscribe(1, listener);
    broker.failing = true;
    await clock.advance(3_000);
    for (let minute = 11; minute <= 500; minute++) broker.roll(minute);
    broker.failing = false;
    await clock.advance(5_000);
    expect(failures.length).toBeGreaterThan(0);
    expect(heard).toEqual(Array.from({ length: 490 }, (_, index) => index + 10));
    expect(feed.missed).toBe(0);
    feed.unsubscribe(listener);
  });

  it('counts bars that are no longer available from the gateway', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    await feed.subscribe(1, listener);
    broker.failing = true;
    await clock.advance(100);
    for (let minute = 11; minute <= 20_000; minute++) broker.roll(minute);
    broker.failing = false;
    await clock.advance(5_000);
    expect(heard[0]).toBe(10_001);
    expect(feed.missed).toBe(9_991);
    feed.unsubscribe(listener);
  });

  it('does not count a weekend as missed bars', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    await feed.subscribe(1, listener);
    for (const minute of [2_890, 2_891]) broker.roll(minute);
    await clock.advance(1_000);
    expect(heard).toEqual([10, 2_890]);
    expect(feed.missed).toBe(0);
    feed.unsubscribe(listener);
  });

  it('gives a returning listener the present as history: bars that closed without a listener are not delivered', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    await feed.subscribe(3, listener);
    feed.unsubscribe(listener);
    for (let minute = 11; minute <= 100; minute++) broker.roll(minute);
    const past = await feed.subscribe(3, listener);
    expect(past.map(({ close }) => close)).toEqual([97, 98, 99]);
    broker.roll(101);
    await clock.advance(1_000);
    expect(heard).toEqual([100]);
    feed.unsubscribe(listener);
  });

  it('delivers each bar once, even if its listener leaves and returns repeatedly', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    for (let round = 0; round < 3; round++) {
      await feed.subscribe(3, listener);
      feed.unsubscribe(listener);
    }
    await feed.subscribe(3, listener);
    for (let minute = 11; minute <= 20; minute++) {
      broker.roll(minute);
      await clock.advance(1_000);
    }
    expect(heard).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    feed.unsubscribe(listener);
  });

  it('does not deliver a bar that a returning listener already received as history', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const clock = new VirtualClock();
    const heard: number[] = [];
    let past: readonly ClosedBar[] = [];
    const listener = (bars: readonly ClosedBar[]) => heard.push(...bars.map(({ close }) => close));
    const comeBack = async (): Promise<void> => {
      if (past.length > 0) return;
      feed.unsubscribe(listener);
      past = await feed.subscribe(3, listener);
    };
    broker.refresh = comeBack;
    const feed: BarFeed = new BarFeed(broker, { clock, barMs: 60_000, reading: new Slots(2) }, () => 0);
    await feed.subscribe(3, listener);
    broker.roll(11);
    await clock.advance(1_000);
    expect(past.map(({ close }) => close)).toEqual([8, 9, 10]);
    expect(heard).toEqual([]);
    feed.unsubscribe(listener);
  });

  it('reads until the history has the requested length, also when other listeners are behind', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 400; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    await feed.subscribe(1, listener);
    broker.failing = true;
    await clock.advance(3_000);
    for (let minute = 401; minute <= 700; minute++) broker.roll(minute);
    broker.failing = false;
    const late: number[] = [];
    const past = await feed.subscribe(200, (bars) => late.push(...bars.map(({ close }) => close)));
    expect(past.map(({ close }) => close)).toEqual(Array.from({ length: 200 }, (_bar, index) => 200 + index));
    await clock.advance(5_000);
    expect(late).toEqual(heard);
    expect(heard[0]).toBe(400);
    feed.unsubscribe(listener);
  });

  it('joins a history that took longer than a bar to read to the bars delivered meanwhile', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 500; minute++) broker.roll(minute);
    const { clock, feed, listener } = feedOf(broker);
    await feed.subscribe(1, listener);
    let minute = 500;
    const market = clock.every(100, () => broker.roll(++minute));
    // The others get their bars at once; the past is under way for the length of thirty.
    broker.onRead = (count) => (count > 400 ? clock.sleep(3_000) : Promise.resolve());
    await clock.advance(2_000);
    const heard: number[] = [];
    const joining = feed.subscribe(400, (bars) => heard.push(...bars.map(({ close }) => close)));
    await clock.advance(3_000);
    const past = await joining;
    await clock.advance(2_000);
    market.cancel();
    expect(past).toHaveLength(400);
    const all = [...past.map(({ close }) => close), ...heard];
    expect(all).toEqual(all.map((_close, index) => (all[0] ?? 0) + index));
    expect(heard.length).toBeGreaterThan(5);
    feed.unsubscribe(listener);
  });

  it.each([
    ['becomes known', null, 7_200_000],
    ['changes with the season', 7_200_000, 10_800_000],
  ])('hands each bar on once when the offset of the broker’s clock %s', async (_what, before, after) => {
    const broker = new BarBroker();
    broker.offsetMs = before;
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = feedOf(broker);
    const times: number[] = [];
    await feed.subscribe(3, listener);
    await feed.subscribe(3, (bars) => times.push(...bars.map(({ timeMs }) => timeMs)));
    broker.roll(11);
    await clock.advance(1_000);
    broker.offsetMs = after;
    for (let minute = 12; minute <= 14; minute++) {
      broker.roll(minute);
      await clock.advance(1_000);
    }
    expect(heard).toEqual([10, 11, 12, 13]);
    expect(times[0]).toBe(startMs + 10 * 60_000 - (before ?? 0));
    expect(times.slice(1)).toEqual([11, 12, 13].map((minute) => startMs + minute * 60_000 - after));
    expect(feed.missed).toBe(0);
    feed.unsubscribe(listener);
  });

  it('returns fewer bars only when the broker has no more', async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 35; minute++) broker.roll(minute);
    const { feed, listener } = feedOf(broker);
    expect(await feed.subscribe(200, listener)).toHaveLength(35);
    feed.unsubscribe(listener);
  });

  it('keeps up at any pace, delivering every bar once and in order', async () => {
    const steps = fc.array(
      fc.record({ bars: fc.integer({ min: 0, max: 40 }), ms: fc.integer({ min: 1, max: 3_000 }) }),
      {
        maxLength: 15,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const broker = new BarBroker();
        let minute = 0;
        for (; minute <= 5; minute++) broker.roll(minute);
        const { clock, heard, feed, listener } = feedOf(broker);
        await feed.subscribe(1, listener);
        for (const { bars, ms } of plan) {
          for (let bar = 0; bar < bars; bar++) broker.roll(minute++);
          await clock.advance(ms);
        }
        await clock.advance(3_000);
        feed.unsubscribe(listener);
        expect(heard).toEqual(Array.from({ length: minute - 6 }, (_, index) => index + 5));
      }),
      { numRuns: 30 },
    );
  });
});
