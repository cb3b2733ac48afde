import { VirtualClock } from './virtual-clock';

describe('the virtual clock', () => {
  it('runs timers in order of their times, then of their creation', async () => {
    const clock = new VirtualClock(1_000);
    const seen: string[] = [];
    clock.setTimer(20, () => seen.push(`late@${clock.nowMs()}`));
    clock.setTimer(10, () => seen.push(`first@${clock.nowMs()}`));
    clock.setTimer(10, () => seen.push(`second@${clock.nowMs()}`));
    await clock.advance(15);
    expect(seen).toEqual(['first@1010', 'second@1010']);
    await clock.advance(5);
    expect(seen).toEqual(['first@1010', 'second@1010', 'late@1020']);
    expect(clock.nowMs()).toBe(1_020);
  });

  it('lets code that sleeps in a loop see every step', async () => {
    const clock = new VirtualClock(0);
    const wakes: number[] = [];
    void (async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(100);
        wakes.push(clock.nowMs());
      }
    })();
    await clock.advance(1_000);
    expect(wakes).toEqual([100, 200, 300]);
  });

  it('waits for work that takes real time before a deadline passes', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    let work: Promise<unknown> = Promise.resolve();
    clock.waitFor(async () => void (await work));
    clock.setTimer(10, () => {
      work = new Promise((resolve) => setTimeout(resolve, 20)).then(() => seen.push(`done@${clock.nowMs()}`));
    });
    clock.setTimer(11, () => seen.push(`deadline@${clock.nowMs()}`));
    await clock.advance(50);
    expect(seen).toEqual(['done@10', 'deadline@11']);
  });

  it('does not run a cancelled timer, even a repeating one', async () => {
    const clock = new VirtualClock(0);
    let runs = 0;
    const repeating = clock.every(10, () => runs++);
    await clock.advance(35);
    repeating.cancel();
    await clock.advance(100);
    expect(runs).toBe(3);
  });
});
