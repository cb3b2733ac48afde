import { JumpingClock } from '../trade-journal/testing/jumping-clock';
import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { ChangedMeanwhile, ChangeTurns } from './change-turns';
import { isShownAsBefore } from './kept-values';

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

describe('a value that a change keeps', () => {
  const change = (before: number, sl: number, tp = 0) => ({
    request: tradeRequest({ action: TradeAction.SLTP, sl, tp }),
    standing: { sl: before, tp },
  });

  it.each([
    ['is current without a change before', [], 1, false],
    ['is not current if it is what the last change replaced', [change(1, 2)], 1, true],
    ['is current if it is what the last change set', [change(1, 2)], 2, false],
    ['is current if the broker has made it another one', [change(1, 2)], 2.1, false],
    ['is current if the last change restored it', [change(2, 1), change(1, 2)], 1, false],
    ['is not current if a later change has kept what is not shown', [change(2, 2), change(1, 2)], 1, true],
  ])('%s', (_, changes, sl, isBefore) => {
    expect(isShownAsBefore({ sl, tp: 0 }, ['sl', 'tp'], changes)).toBe(isBefore);
    expect(isShownAsBefore({ sl, tp: 0 }, ['tp'], changes)).toBe(false);
  });
});
