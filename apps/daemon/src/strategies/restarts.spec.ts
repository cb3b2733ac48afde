import { VirtualClock } from '@libs/clock';
import { Restarts } from './restarts';

describe('the restarts of a strategy that fails', () => {
  const setUp = () => {
    const clock = new VirtualClock();
    const starts: number[] = [];
    const restarts = new Restarts(clock, () => starts.push(clock.monotonicMs()));
    return { clock, starts, restarts };
  };

  it('come after waits that double up to half a minute, also when it ran for a moment in between', () => {
    const { restarts } = setUp();
    const waits = Array.from({ length: 8 }, () => {
      restarts.runs();
      return restarts.failed();
    });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('come soon again once it has run for more than a minute, and when somebody asks for one', async () => {
    const { clock, restarts } = setUp();
    restarts.failed();
    restarts.failed();
    restarts.runs();
    await clock.advance(60_001);
    expect(restarts.failed()).toBe(500);
    expect(restarts.failed()).toBe(1_000);
    restarts.startOver();
    expect(restarts.failed()).toBe(500);
  });

  it('are one at a time: a later plan replaces the one before, and a cancelled one never comes', async () => {
    const { clock, starts, restarts } = setUp();
    restarts.tryAfter(500);
    restarts.tryAfter(1_000);
    await clock.advance(5_000);
    expect(starts).toHaveLength(1);
    restarts.tryAfter(500);
    restarts.cancel();
    await clock.advance(5_000);
    expect(starts).toHaveLength(1);
  });
});
