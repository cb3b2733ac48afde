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
      return restarts.failed('no idea');
    });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('are fast again after it has run for more than a minute, and when one is requested', async () => {
    const { clock, restarts } = setUp();
    restarts.failed('no idea');
    restarts.failed('no idea');
    restarts.runs();
    await clock.advance(60_001);
    expect(restarts.failed('no idea')).toBe(500);
    expect(restarts.failed('no idea')).toBe(1_000);
    restarts.startOver();
    expect(restarts.failed('no idea')).toBe(500);
  });

  it('are planned one at a time: a later plan replaces the earlier one, and a cancelled one never runs', async () => {
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

  it('are counted, with the last failure and the time since the last start', async () => {
    const { clock, restarts } = setUp();
    restarts.begins();
    expect([restarts.count, restarts.lastFailure, restarts.uptimeMs, restarts.startedAtMs]).toEqual([0, null, 0, null]);
    restarts.runs();
    await clock.advance(5_000);
    expect([restarts.uptimeMs, restarts.startedAtMs]).toEqual([5_000, clock.nowMs() - 5_000]);
    restarts.failed('no idea');
    expect([restarts.uptimeMs, restarts.lastFailure]).toEqual([0, { atMs: clock.nowMs(), reason: 'no idea' }]);
    restarts.begins();
    restarts.runs();
    await clock.advance(1_000);
    expect([restarts.count, restarts.uptimeMs]).toEqual([1, 1_000]);
  });

  it('are a crash loop after three failures without a minute of normal operation, until one has passed', async () => {
    const { clock, restarts } = setUp();
    const fail = (): void => {
      restarts.runs();
      restarts.failed('no idea');
    };
    fail();
    fail();
    expect(restarts.failuresInARow).toBe(2);
    expect(restarts.isLooping).toBe(false);
    fail();
    restarts.runs();
    expect(restarts.isLooping).toBe(true);
    await clock.advance(60_001);
    expect(restarts.isLooping).toBe(false);
    restarts.failed('no idea');
    expect(restarts.failuresInARow).toBe(1);
  });
});
