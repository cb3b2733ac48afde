import { JumpingClock } from '../trade-journal/testing/jumping-clock';
import { ChangedMeanwhile } from '../trade-journal/changed-meanwhile.error';
import { ChangeTurns } from './change-turns';

describe('a change whose position changes between its read and its send', () => {
  const turns = new ChangeTurns(new JumpingClock(0), { FILL_CONFIRM_TIMEOUT_MS: 2_000, FILL_CONFIRM_POLL_MS: 100 });
  const changedTimes = (times: number) => {
    let made = 0;
    return () => (++made > times ? Promise.resolve(made) : Promise.reject(new ChangedMeanwhile('position 5')));
  };

  it('is made again from what stands then', async () => {
    await expect(turns.run(5, changedTimes(2))).resolves.toBe(3);
  });

  it('is refused, with nothing sent, when that happens each time', async () => {
    await expect(turns.run(5, changedTimes(3))).rejects.toMatchObject({
      errorType: 'terminal_unavailable',
      message: 'position 5 changed after it was read: nothing was sent',
    });
  });

  it('is made once when it fails for another reason', async () => {
    const change = jest.fn(() => Promise.reject(new Error('refused')));
    await expect(turns.run(5, change)).rejects.toThrow('refused');
    expect(change).toHaveBeenCalledTimes(1);
  });
});
