import { VirtualClock } from '@libs/clock';
import { AccountRounds } from './gateways';

describe('the rounds of an account', () => {
  /** An account that takes some time to read. `next` is called every second. */
  const setUp = (tookMs: number) => {
    const clock = new VirtualClock();
    const looks: number[] = [];
    let seenMs: number | null = null;
    const account = {
      fails: false,
      tookMs,
      look: async () => {
        const beganMs = clock.monotonicMs();
        looks.push(beganMs);
        if (account.tookMs > 0) await clock.sleep(account.tookMs);
        if (account.fails) throw new Error('away');
        seenMs = beganMs;
      },
      ageMs: () => (seenMs === null ? null : clock.monotonicMs() - seenMs),
    };
    const rounds = new AccountRounds(clock, account);
    const problems: unknown[] = [];
    clock.every(AccountRounds.everyMs, () => void rounds.next().catch((error: unknown) => problems.push(error)));
    return { clock, looks, account, problems };
  };

  it('come every second while the account is read quickly', async () => {
    const { clock, looks } = setUp(10);
    await clock.advance(5_500);
    expect(looks).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
  });

  it('come every second while the machine is busy', async () => {
    const { clock, looks } = setUp(500);
    await clock.advance(5_500);
    expect(looks).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
  });

  it('leave a slow terminal to others for three times as long as a read took', async () => {
    const { clock, looks } = setUp(900);
    await clock.advance(13_500);
    // 1,000 + 900 + 2,700 = 4,600: the next second.
    expect(looks).toEqual([1_000, 5_000, 9_000, 13_000]);
  });

  it('come every second while the last snapshot is too old to wait, as in an outage', async () => {
    const { clock, looks, account, problems } = setUp(10);
    await clock.advance(1_500);
    account.fails = true;
    account.tookMs = 2_000;
    await clock.advance(4_900);
    looks.splice(0);
    await clock.advance(3_000);
    expect(looks).toEqual([7_000, 8_000, 9_000]);
    expect(problems[0]).toEqual(new Error('away'));
  });

  it('never let a snapshot grow twice as old as the age at which they come every second', async () => {
    for (let tookMs = 0; tookMs <= 3_000; tookMs += 250) {
      const { clock, account } = setUp(tookMs);
      await clock.advance(20_000);
      let oldestMs = 0;
      for (let step = 0; step < 400; step++) {
        await clock.advance(100);
        oldestMs = Math.max(oldestMs, account.ageMs() ?? Infinity);
      }
      expect(oldestMs).toBeLessThan(10_000);
    }
  });
});
