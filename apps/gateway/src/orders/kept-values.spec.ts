import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { isShownAsBefore, lotsLeft } from './kept-values';

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

describe('what is left of a position', () => {
  const close = (before: number, volume: number, atMsc: number, filled = volume) => ({
    positionVolume: before,
    serverTimeMsc: atMsc,
    request: tradeRequest({ action: TradeAction.DEAL, volume }),
    outcome: {
      kind: 'done' as const,
      source: 'answer' as const,
      result: {
        ...{ retcode: 10009, deal: 7, order: 8, volume: filled, price: 1.1, bid: 1, ask: 1.1, comment: '' },
        ...{ request_id: 1, retcode_external: 0 },
      },
    },
  });
  const shown = (volume: number, updatedMsc = 5) => ({ volume, time_update_msc: updatedMsc });

  it.each([
    ['is what is shown without a close', shown(0.1), [], 0.1],
    ['lacks a close that is not shown', shown(0.1), [close(0.1, 0.04, 10)], 0.06],
    ['is what is shown after the close', shown(0.06, 11), [close(0.1, 0.04, 10)], 0.06],
    ['lacks all closes that are not shown', shown(0.1), [close(0.1, 0.04, 10), close(0.06, 0.01, 20)], 0.05],
    ['lacks the last close alone', shown(0.06, 11), [close(0.1, 0.04, 10), close(0.06, 0.01, 20)], 0.05],
    ['lacks what was filled', shown(0.1), [close(0.1, 0.04, 10, 0.03)], 0.07],
    ['lacks what was asked for if the broker did not say what it filled', shown(0.1), [close(0.1, 0.04, 10, 0)], 0.06],
    ['is what is shown if an order has restored it', shown(0.1, 15), [close(0.1, 0.04, 10)], 0.1],
    ['is what is shown if nothing would be left', shown(0.1), [close(0.1, 0.1, 10)], 0.1],
  ])('%s', (_, position, closes, left) => {
    expect(lotsLeft(position, closes)).toBe(left);
  });
});
