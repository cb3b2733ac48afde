import { Retcode, TradeAction, tradeRequest } from '@libs/terminal-client';
import type { NewIntent, SettledOutcome } from '../trade-core/journal-records';
import { JournalRig } from '../trade-journal/testing/journal-rig';
import { isShownAsBefore, KeptValues, lotsLeft } from './kept-values';

describe('a value that a change keeps', () => {
  const change = (before: number, sl: number, tp = 0) => ({
    request: tradeRequest({ action: TradeAction.SLTP, sl, tp }),
    standing: { sl: before, tp },
  });

  /** On an account that nets. */
  const entry = (sl: number) => ({
    ...{ purpose: 'open' as const, request: tradeRequest({ action: TradeAction.DEAL, sl, tp: 0 }) },
  });

  it.each([
    ['is current without a change before', [], 1, false],
    ['is not current if it is what the last change replaced', [change(1, 2)], 1, true],
    ['is current if it is what the last change set', [change(1, 2)], 2, false],
    ['is current if the broker has made it another one', [change(1, 2)], 2.1, false],
    ['is current if the last change restored it', [change(2, 1), change(1, 2)], 1, false],
    ['is not current if a later change has kept what is not shown', [change(2, 2), change(1, 2)], 1, true],
    ['is not current if it is what the change before the last one replaced', [change(2, 3), change(1, 2)], 1, true],
    ['is not current if it is what the change before the last one set', [change(1, 3), change(1, 2)], 2, true],
    ['is current if the last change set what a list that was behind showed', [change(1, 1), change(1, 2)], 1, false],
    ['is current if an entry has set it since the last change', [entry(1), change(1, 2)], 1, false],
    ['is not current if an entry before the last change set it', [change(3, 2), entry(1)], 1, true],
    ['is not current if it is what an entry before the last one set', [entry(3), entry(1), change(4, 2)], 1, true],
    ['is not current if it is what an entry has replaced', [entry(3), change(1, 2)], 2, true],
    ['is current if the change before set what stood, apart from noise', [change(1, 1 + 1e-12)], 1, false],
    ['is not current if it is what the last change replaced, apart from noise', [change(1, 2)], 1 + 1e-12, true],
  ])('%s', (_, changes, sl, isBefore) => {
    expect(isShownAsBefore({ sl, tp: 0 }, ['sl', 'tp'], changes)).toBe(isBefore);
    expect(isShownAsBefore({ sl, tp: 0 }, ['tp'], changes)).toBe(false);
  });
});

describe('what is left of a position', () => {
  const close = (before: number, volume: number, sinceMsc: number) => ({ before, volume, sinceMsc });
  const shown = (volume: number, updatedMsc = 5) => ({ volume, time_update_msc: updatedMsc });

  it.each([
    ['is what is shown without a close', shown(0.1), [], 0.1],
    ['lacks a close that is not shown', shown(0.1), [close(0.1, 0.04, 10)], 0.06],
    ['is what is shown after the close', shown(0.06, 11), [close(0.1, 0.04, 10)], 0.06],
    ['lacks all closes that are not shown', shown(0.1), [close(0.1, 0.04, 10), close(0.06, 0.01, 20)], 0.05],
    ['lacks the last close alone', shown(0.06, 11), [close(0.1, 0.04, 10), close(0.06, 0.01, 20)], 0.05],
    ['is what is shown if an order has restored it', shown(0.1, 15), [close(0.1, 0.04, 10)], 0.1],
    ['is what is shown if nothing would be left', shown(0.1), [close(0.1, 0.1, 10)], 0.1],
  ])('%s', (_, position, parts, left) => {
    expect(lotsLeft(position, parts)).toBe(left);
  });
});

describe('what a journal knows of late sends', () => {
  let rig: JournalRig;
  beforeEach(() => {
    rig = new JournalRig();
  });
  afterEach(() => rig.stop());

  const result = {
    ...{ retcode: Retcode.DONE, deal: 7, order: 8, volume: 0.04, price: 1.1, bid: 1, ask: 1.1, comment: '' },
    ...{ request_id: 1, retcode_external: 0 },
  };
  const lost = { kind: 'unknown', reason: 'lost', result: null, lastError: null } as const;
  const done = { kind: 'done', source: 'answer', result } as const;
  const changing: NewIntent = {
    ...{ purpose: 'modify_levels', serverTimeMsc: 10, positionId: 5, positionVolume: 0.1 },
    request: tradeRequest({ action: TradeAction.SLTP, position: 5, sl: 2, tp: 3 }),
    standing: { sl: 1, tp: 3 },
  };
  const closing: NewIntent = {
    ...{ purpose: 'close_partial', serverTimeMsc: 10, positionId: 5, positionVolume: 0.1 },
    request: tradeRequest({ action: TradeAction.DEAL, position: 5, volume: 0.04 }),
  };
  const sent = async (key: string, intent: NewIntent, outcome: SettledOutcome) => {
    const attempt = rig.begin(key);
    const { intentId } = await rig.journal.record(attempt, intent);
    await rig.journal.settle(attempt, intentId, outcome);
    return { attempt, intentId };
  };
  const changeOf = (shown: { sl: number; tp: number }) => () =>
    new KeptValues(rig.journal).require('position 5', 5, shown, ['sl'], null);
  const left = (volume = 0.1): number => {
    const position = { ticket: 5, identifier: 5, volume, time_update_msc: 5 };
    return new KeptValues(rig.journal).left(position).volume;
  };

  it('is that a change was executed, also after a restart, for a minute', async () => {
    await sent('k', changing, done);
    expect(changeOf({ sl: 1, tp: 3 })).toThrow('position 5 is shown as it was before its last change');
    expect(changeOf({ sl: 2, tp: 3 })).not.toThrow();
    await rig.restart(600_000);
    expect(changeOf({ sl: 1, tp: 3 })).toThrow('position 5 is shown as it was before its last change');
    await rig.clock.advance(61_000);
    expect(changeOf({ sl: 1, tp: 3 })).not.toThrow();
    expect(rig.journal.intents.late(5)).toEqual([]);
    await rig.journal.sweep();
    expect(rig.journal.shell.core.state.late.size).toBe(0);
  });

  it('is that a change may have been executed, until its outcome is known', async () => {
    const { attempt, intentId } = await sent('k', changing, lost);
    expect(changeOf({ sl: 1, tp: 3 })).toThrow('nothing was sent');
    await rig.journal.settle(attempt, intentId, { kind: 'absent' });
    expect(changeOf({ sl: 1, tp: 3 })).not.toThrow();
  });

  it('is what the broker has surely closed', async () => {
    const { attempt, intentId } = await sent('k', closing, {
      ...done,
      result: { ...result, retcode: Retcode.PLACED, deal: 0, price: 0 },
    });
    // Accepted only: it may be refused yet.
    expect(left()).toBe(0.1);
    await rig.journal.settle(attempt, intentId, done);
    expect(left()).toBe(0.06);
    await rig.restart(600_000);
    expect(left()).toBe(0.06);
    await sent('other', closing, lost);
    expect(left()).toBe(0.06);
  });
});
