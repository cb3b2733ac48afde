import { VirtualClock } from '@libs/clock';
import { Shutdown } from '../shutdown';
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
  let ended: (string | null)[];
  let lease: UnitLease;
  beforeEach(() => {
    clock = new SetClock();
    shutdown = new Shutdown();
    ended = [];
    const onEnded = ({ endReason }: UnitLease): void => void ended.push(endReason);
    const takenMs = clock.monotonicMs();
    lease = new UnitLease({ name: 'trend', token: 3 }, { clock, leaseMs: 9_000, shutdown, takenMs, onEnded });
  });

  it('permits entries for two thirds of its time from the moment at which its renewal was sent', async () => {
    await clock.advance(4_000);
    const sentMs = clock.monotonicMs();
    await clock.advance(1_999);
    expect(lease.entryProblem).toBeNull();
    lease.renewed(sentMs);
    await clock.advance(4_000);
    expect(lease.entryProblem).toBeNull();
    await clock.advance(1);
    expect(lease.entryProblem).toBe('the lease of trend was not renewed for 6 s');
    lease.renewed(clock.monotonicMs());
    expect(lease.entryProblem).toBeNull();
  });

  it('is not made younger by an answer that arrives late, after that of a later renewal', async () => {
    const sentMs = clock.monotonicMs();
    await clock.advance(5_000);
    lease.renewed(clock.monotonicMs());
    lease.renewed(sentMs);
    expect(lease.ageMs).toBe(0);
  });

  it('does not depend on the wall clock', async () => {
    clock.aheadMs = -86_400_000;
    await clock.advance(6_000);
    expect(lease.entryProblem).not.toBeNull();
    lease.renewed(clock.monotonicMs());
    clock.aheadMs = 86_400_000;
    expect(lease.entryProblem).toBeNull();
  });

  it('ends once and for good, with the recoveries of its strategies, and not with those of others', () => {
    lease.fencedOut('demo: fenced out');
    lease.end('another reason');
    lease.renewed(clock.monotonicMs());
    expect([lease.entryProblem, lease.endReason, ended]).toEqual([
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
