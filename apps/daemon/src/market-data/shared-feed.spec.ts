import { VirtualClock } from '@libs/clock';
import { Slots } from '../slots';
import { BarBroker, feedOf, startMs } from '../testing/bar-broker';

describe('a BarFeed with several listeners', () => {
  /** A feed with a listener, and the lengths of the pasts that are read for further ones. */
  const running = async () => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 100; minute++) broker.roll(minute);
    const rig = feedOf(broker);
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
    ['the broker has rewritten a bar', (broker: BarBroker) => void (broker.highest = 1_000)],
    ['the offset of the broker’s clock has changed', (broker: BarBroker) => void (broker.offsetMs = 7_200_000)],
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

describe('a BarFeed on a slow terminal', () => {
  const slow = async (readMs = 300) => {
    const broker = new BarBroker();
    for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
    const rig = feedOf(broker);
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
      const broker = new BarBroker();
      for (let minute = 0; minute <= 10; minute++) broker.roll(minute);
      const { feed } = feedOf(broker, clock, reading);
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
