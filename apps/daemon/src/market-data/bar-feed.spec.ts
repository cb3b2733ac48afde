import { VirtualClock } from '@libs/clock';
import type { BarRecord } from '@libs/gateway-client';
import * as fc from 'fast-check';
import { Slots } from '../slots';
import { BarFeed } from './bar-feed';
import type { ClosedBar } from './closed-bar';

const startMs = Date.UTC(2024, 0, 1);

/** A broker whose bars close at moments of the test's choosing; the last one is always forming. */
class Broker {
  private readonly minutes: number[] = [];
  failing = false;
  /** How many bars it still gives. */
  depth = Number.MAX_SAFE_INTEGER;
  /** The high of every bar; null: its minute. */
  highest: number | null = null;
  /** Offset of its clock; null while it is unknown. */
  offsetMs: number | null = 0;
  /** How long an answer is under way. */
  onRead: (count: number) => Promise<void> = () => Promise.resolve();

  roll(minute: number): void {
    this.minutes.push(minute);
  }

  readonly failures: unknown[] = [];
  refresh = async (): Promise<void> => undefined;

  failed(error: unknown): void {
    this.failures.push(error);
  }

  read = async (count: number): Promise<BarRecord[]> => {
    if (this.failing) throw new Error('away');
    const minutes = this.minutes.slice(-Math.min(count, this.depth));
    await this.onRead(count);
    return minutes.map((minute) => ({
      time: this.label(startMs + minute * 60_000),
      time_server: startMs / 1_000 + minute * 60,
      open: minute,
      high: this.highest ?? minute,
      low: minute,
      close: minute,
      tick_volume: 1,
      spread: 1,
      real_volume: 0,
    }));
  };

  private label(serverMs: number): string {
    const { offsetMs } = this;
    return offsetMs === null
      ? new Date(serverMs).toISOString().slice(0, 19)
      : new Date(serverMs - offsetMs).toISOString();
  }
}

describe('BarFeed', () => {
  const setUp = (broker: Broker) => {
    const clock = new VirtualClock();
    const heard: number[] = [];
    const feed = new BarFeed(broker, { barMs: 60_000, clock, reading: new Slots(2) }, () => 0);
    const listener = (bars: readonly ClosedBar[]) => heard.push(...bars.map(({ close }) => close));
    return { clock, heard, failures: broker.failures, feed, listener };
  };

  it('gives the past up to the last closed bar, then each closed bar once and never the forming one', async () => {
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, failures, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
    await feed.subscribe(1, listener);
    for (const minute of [2_890, 2_891]) broker.roll(minute);
    await clock.advance(1_000);
    expect(heard).toEqual([10, 2_890]);
    expect(feed.missed).toBe(0);
    feed.unsubscribe(listener);
  });

  it('gives a returning listener the present as history: bars that closed without a listener are not delivered', async () => {
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
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
    const broker = new Broker();
    for (let minute = 0; minute <= 400; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 500; minute++) broker.roll(minute);
    const { clock, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    broker.offsetMs = before;
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const { clock, heard, feed, listener } = setUp(broker);
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
    const broker = new Broker();
    for (let minute = 0; minute <= 35; minute++) broker.roll(minute);
    const { feed, listener } = setUp(broker);
    expect(await feed.subscribe(200, listener)).toHaveLength(35);
    feed.unsubscribe(listener);
  });

  describe('with several listeners', () => {
    /** A feed with a listener, and the lengths of the pasts that are read for further ones. */
    const running = async () => {
      const broker = new Broker();
      for (let minute = 0; minute <= 100; minute++) broker.roll(minute);
      const rig = setUp(broker);
      await rig.feed.subscribe(20, rig.listener);
      const reads: number[] = [];
      // The looks for new bars are shorter.
      broker.onRead = (count) => Promise.resolve(void (count > 8 && reads.push(count)));
      const join = async (bars: number): Promise<readonly number[]> =>
        (await rig.feed.subscribe(bars, () => undefined)).map(({ close }) => close);
      return { ...rig, broker, reads, join };
    };
    const closes = (from: number, until: number): readonly number[] =>
      Array.from({ length: until - from }, (_, index) => from + index);

    it('reads the past once for those that come within a minute, and joins it to the bars delivered since', async () => {
      const { clock, broker, reads, join } = await running();
      expect(await join(10)).toEqual(closes(90, 100));
      broker.roll(101);
      broker.roll(102);
      await clock.advance(59_000);
      expect(await join(20)).toEqual(closes(82, 102));
      expect(reads).toEqual([]);
      await clock.advance(2_000);
      expect(await join(20)).toEqual(closes(82, 102));
      expect(reads).toEqual([28]);
    });

    it('reads a longer past than the one it has, and shares that as well', async () => {
      const { reads, join } = await running();
      expect(await join(60)).toEqual(closes(40, 100));
      expect(await join(60)).toEqual(closes(40, 100));
      expect(reads).toEqual([68]);
    });

    it('reads a past again that was shorter than asked for: a terminal loads its history in the background', async () => {
      const { broker, reads, join } = await running();
      broker.depth = 36;
      expect(await join(60)).toEqual(closes(65, 100));
      expect(await join(20)).toEqual(closes(80, 100));
      broker.depth = Number.MAX_SAFE_INTEGER;
      expect(await join(60)).toEqual(closes(40, 100));
      expect(reads).toEqual([68, 68]);
    });

    it.each([
      ['the broker has rewritten a bar', (broker: Broker) => void (broker.highest = 1_000)],
      ['the offset of the broker’s clock has changed', (broker: Broker) => void (broker.offsetMs = 7_200_000)],
    ])('reads the past again when %s', async (_what, change) => {
      const { clock, broker, reads, join } = await running();
      change(broker);
      await clock.advance(2_000);
      await join(10);
      expect(reads).toEqual([18]);
    });

    it('reads the past again after its last listener has left', async () => {
      const { broker, feed, listener, reads, join } = await running();
      feed.unsubscribe(listener);
      broker.roll(101);
      expect(await join(10)).toEqual(closes(91, 101));
      expect(reads).toEqual([18]);
    });
  });

  describe('on a slow terminal', () => {
    const slow = async (readMs = 300) => {
      const broker = new Broker();
      for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
      const rig = setUp(broker);
      await rig.feed.subscribe(3, rig.listener);
      const reads: number[] = [];
      broker.onRead = () => (reads.push(rig.clock.monotonicMs()), rig.clock.sleep(readMs));
      return { ...rig, broker, reads };
    };

    it('leaves the terminal to others for eight times as long as a read took', async () => {
      const { clock, reads } = await slow();
      await clock.advance(60_000);
      const gaps = reads.slice(1).map((ms, index) => ms - (reads[index] ?? 0));
      expect(new Set(gaps)).toEqual(new Set([2_700]));
    });

    it('makes no such pause while only the machine is busy', async () => {
      const { clock, reads } = await slow(150);
      await clock.advance(60_000);
      const gaps = reads.slice(10).map((ms, index) => ms - (reads[index + 9] ?? 0));
      expect(new Set(gaps)).toEqual(new Set([1_150]));
    });

    it('reads at once when a quote of the next bar comes, also during a read', async () => {
      const { clock, broker, heard, feed, reads } = await slow();
      feed.heard(startMs + 10 * 60_000);
      await clock.advance(1_000);
      const [first = NaN] = reads.splice(0);
      // In the rest after the first read.
      broker.roll(11);
      feed.heard(startMs + 11 * 60_000);
      await clock.advance(100);
      // During the read that the quote has begun.
      broker.roll(12);
      feed.heard(startMs + 12 * 60_000);
      await clock.advance(700);
      expect(reads.map((ms) => ms - first)).toEqual([1_000 - first, 1_300 - first]);
      expect(heard).toEqual([10, 11]);
    });

    it('reads for few feeds at a time', async () => {
      const clock = new VirtualClock();
      const reading = new Slots(2);
      let [running, most] = [0, 0];
      for (let number = 0; number < 6; number++) {
        const broker = new Broker();
        for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
        const feed = new BarFeed(broker, { barMs: 60_000, clock, reading }, () => 0);
        await feed.subscribe(3, () => undefined);
        broker.onRead = async () => {
          most = Math.max(most, ++running);
          await clock.sleep(300);
          running--;
        };
      }
      await clock.advance(20_000);
      expect(most).toBe(2);
    });
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
        const broker = new Broker();
        let minute = 0;
        for (; minute <= 5; minute++) broker.roll(minute);
        const { clock, heard, feed, listener } = setUp(broker);
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
