import { SystemClock } from './system-clock';

describe('a timer of the machine', () => {
  it('that exceeds the limit of the platform does not run at once', async () => {
    const clock = new SystemClock();
    let runs = 0;
    const timer = clock.setTimer(2 ** 31, () => (runs += 1));
    await clock.sleep(20);
    timer.cancel();
    expect(runs).toBe(0);
  });
});
