import { VirtualClock } from '@libs/clock';
import { Shutdown } from '../shutdown';
import { endedLease, renewedLease, type HeldLease } from './keeper-state';
import { UnitLease } from './unit-lease';

/** A clock whose wall clock an operator can set. */
class SetClock extends VirtualClock {
  aheadMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.aheadMs;
  }
}

describe('the lease of a unit', () => {
  let clock: SetClock;
  let shutdown: Shutdown;
  let fencedOut: string[];
  let held: HeldLease;
  let lease: UnitLease;
  beforeEach(() => {
    clock = new SetClock();
    shutdown = new Shutdown();
    fencedOut = [];
    const renewedMs = clock.monotonicMs();
    held = { id: 1, fence: { name: 'trend', token: 3 }, renewedMs, leavingReason: null, endReason: null };
    const onFencedOut = (reason: string): void => void fencedOut.push(reason);
    lease = new UnitLease(held, { clock, leaseMs: 9_000, shutdown, onFencedOut });
  });
  const renewed = (sentMs: number): void => lease.update((held = renewedLease(held, sentMs)));

  it('permits entries for two thirds of its time from the moment at which its renewal was sent', async () => {
    await clock.advance(4_000);
    const sentMs = clock.monotonicMs();
    await clock.advance(1_999);
    expect(lease.entryProblem).toBeNull();
    renewed(sentMs);
    await clock.advance(4_000);
    expect(lease.entryProblem).toBeNull();
    await clock.advance(1);
    expect(lease.entryProblem).toBe('the lease of trend was not renewed for 6 s');
    renewed(clock.monotonicMs());
    expect(lease.entryProblem).toBeNull();
  });

  it('is not made younger by an answer that arrives late, after that of a later renewal', async () => {
    const sentMs = clock.monotonicMs();
    await clock.advance(5_000);
    renewed(clock.monotonicMs());
    renewed(sentMs);
    expect(lease.ageMs).toBe(0);
  });

  it('does not depend on the wall clock', async () => {
    clock.aheadMs = -86_400_000;
    await clock.advance(6_000);
    expect(lease.entryProblem).not.toBeNull();
    renewed(clock.monotonicMs());
    clock.aheadMs = 86_400_000;
    expect(lease.entryProblem).toBeNull();
  });

  it('ends once and for good, with the recoveries of its strategies, and not with those of others', () => {
    lease.fencedOut('demo: fenced out');
    lease.fencedOut('another reason');
    held = renewedLease(endedLease(endedLease(held, 'demo: fenced out'), 'another reason'), 1);
    lease.update(held);
    expect([lease.entryProblem, lease.endReason, fencedOut]).toEqual([
      'demo: fenced out',
      'demo: fenced out',
      ['demo: fenced out'],
    ]);
    expect([lease.shutdown.hasEnded, shutdown.isStopping]).toEqual([true, false]);
  });

  it('stops its strategies with the daemon', () => {
    shutdown.begin();
    expect([lease.shutdown.isStopping, lease.shutdown.hasEnded]).toEqual([true, false]);
    shutdown.end();
    expect(lease.shutdown.hasEnded).toBe(true);
  });
});
