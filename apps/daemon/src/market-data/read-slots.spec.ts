import { VirtualClock } from '@libs/clock';
import { ReadSlots } from './read-slots';

describe('the reads of a gateway', () => {
  /** How many of twenty reads run at a time if each takes so long for each one that runs. */
  async function atATime(slots: ReadSlots, clock: VirtualClock, eachMs: number): Promise<number> {
    let [running, mostRunning] = [0, 0];
    const reads = Array.from({ length: 20 }, () =>
      slots.take(async () => {
        mostRunning = Math.max(mostRunning, ++running);
        await clock.sleep(eachMs * running);
        running--;
      }),
    );
    await clock.advance(60_000);
    await Promise.all(reads);
    return mostRunning;
  }

  it('are few at a time while they are slow, and many while they are not', async () => {
    const clock = new VirtualClock(0);
    const slots = new ReadSlots(clock);
    expect(await atATime(slots, clock, 300)).toBe(2);
    await atATime(slots, clock, 20);
    expect(await atATime(slots, clock, 20)).toBe(16);
    await atATime(slots, clock, 300);
    expect(await atATime(slots, clock, 300)).toBe(2);
  });

  it('are few at a time at first', async () => {
    const slots = new ReadSlots(new VirtualClock(0));
    let begun = 0;
    const ends: (() => void)[] = [];
    const reads = [1, 2, 3].map(() => slots.take(() => new Promise<void>((end) => (begun++, ends.push(end)))));
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(2);
    ends.forEach((end) => end());
    await new Promise((resolve) => setImmediate(resolve));
    ends.forEach((end) => end());
    await Promise.all(reads);
  });

  it('are few at a time after one that failed late', async () => {
    const clock = new VirtualClock(0);
    const slots = new ReadSlots(clock);
    await atATime(slots, clock, 1);
    const failed = slots.take(async () => {
      await clock.sleep(5_000);
      throw new Error('no answer');
    });
    await Promise.all([expect(failed).rejects.toThrow('no answer'), clock.advance(5_000)]);
    expect(await atATime(slots, clock, 300)).toBe(2);
  });
});
