import { DealEntry, DealType, OrderState, TradeAction, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import { answer, ask, send } from '../testing/sample';
import { sentForOtherAccount, succeededForOtherAccount } from './account';
import { acknowledgedButMissing, acknowledgedForOthers, acknowledgedToTwo } from './acknowledged-exists';
import { FillLookUps } from '../judging/fill-look-ups';
import { acceptedThoughFilled, type FillLookUp } from './only-accepted';
import type { DealRow } from '../../../apps/gateway/src/history/deal-row';
import type { TradeEvent } from '../../../apps/gateway/src/streams/trade-event';
import { saidComplete } from './complete-exits';
import {
  addedDeals,
  addedTwice,
  neverAdded,
  numbersWentBack,
  renumbered,
  untrueEvents,
  wrongNumbers,
  type BooksOfEvents,
} from './events';
import { saidHealthy } from './healthy';
import { refusedThoughReleased } from './halted';
import { deniedWithoutLoss } from './daily-loss';
import { replacedUnmarked, sentForOther, succeededByOther, succeededForOther } from './one-body-per-key';
import { doneThoughRefused, isTooLate, sentThoughRefused } from './refused-not-done';

describe('what was refused is not done', () => {
  it('or it is in transit, too late for its order', () => {
    const cancel = send({ request: { action: TradeAction.REMOVE, order: 6 }, fate: 'in transit' });
    expect([true, false].map((isActive) => isTooLate(cancel, () => isActive))).toEqual([false, true]);
    expect(isTooLate({ ...cancel, fate: 'done' }, () => false)).toBe(false);
    expect(isTooLate(send({ fate: 'in transit' }), () => false)).toBe(false);
  });

  it('fails when the broker did it, or may still', () => {
    const refused = ask();
    const alone = () => [refused];
    expect(doneThoughRefused(refused, 'absent', [send({ fate: 'done' })], alone)).toHaveLength(1);
    expect(doneThoughRefused(refused, 'absent', [send()], alone)).toHaveLength(1);
    expect(doneThoughRefused(refused, 'absent', [send({ fate: 'lost' })], alone)).toEqual([]);
  });

  it('leaves what was done to another key that asked for the same', () => {
    const refused = ask();
    const sends = [send({ fate: 'done' })];
    expect(doneThoughRefused(refused, 'absent', sends, () => [refused, ask({ key: 'k2' })])).toEqual([]);
    const other = ask({ key: 'k2', lastWord: 'void' });
    expect(doneThoughRefused(refused, 'absent', sends, () => [refused, other])).toHaveLength(1);
  });

  it.each(['refused', 'void'] as const)('fails when it is sent after the last word was %s', (lastWord) => {
    expect(sentThoughRefused(send(), [ask({ lastWord })])).toHaveLength(1);
    expect(sentThoughRefused(send(), [ask({ lastWord }), ask({ key: 'k2' })])).toEqual([]);
  });
});

describe('what was acknowledged exists', () => {
  const order = { ticket: 9 } as TradeOrder;
  const ok = answer(200, { result: { order: 9 } });

  it('fails for an order that the broker does not have, and for a key that names two', () => {
    expect(acknowledgedButMissing(ask(), ok, () => null)).toHaveLength(1);
    expect(acknowledgedButMissing(ask({ order: 8 }), ok, () => order)).toHaveLength(1);
    expect(acknowledgedButMissing(ask({ order: 9 }), ok, () => order)).toEqual([]);
  });

  it('holds where no order was made', () => {
    expect(acknowledgedButMissing(ask(), answer(422, { result: { order: 9 } }), () => null)).toEqual([]);
    const closed = answer(200, { result: { order: 0 }, already_closed: true });
    expect(acknowledgedButMissing(ask({ kind: 'close' }), closed, () => null)).toEqual([]);
  });

  it('fails for an order with other parameters than those that were sent', () => {
    const at = () => ({ ...order, magic: 1, comment: 'a' });
    expect(acknowledgedForOthers(ask(), ok, 'open 2 b', at)).toHaveLength(1);
    expect(acknowledgedForOthers(ask(), ok, 'open 1 a', at)).toEqual([]);
    expect(acknowledgedForOthers(ask({ kind: 'close' }), ok, 'open 2 b', at)).toEqual([]);
  });

  it('fails for an order that two keys are acknowledged with', () => {
    const toTwo = (order: number, isForgotten: boolean): string[] =>
      acknowledgedToTwo(ask(), ok, [ask({ key: 'k2', order })], (ticket) => ticket === 9 && isForgotten);
    expect(toTwo(9, false)).toHaveLength(1);
    expect(toTwo(8, false)).toEqual([]);
    expect(toTwo(9, true)).toEqual([]);
  });
});

describe('a close counts as accepted only while no fill was seen', () => {
  const accepted = (result: object): ReturnType<typeof answer> =>
    answer(200, { state: 'placed', closed_volume: 0.1, result: { retcode: 10008, order: 9, ...result } });
  const close = ask({ kind: 'close' });

  it('holds after look-ups that showed none, and for an order without a number', () => {
    expect(acceptedThoughFilled(close, accepted({}), () => 'no fill')).toEqual([]);
    expect(acceptedThoughFilled(close, accepted({ order: null }), () => 'none')).toEqual([]);
    expect(acceptedThoughFilled(close, answer(200, { state: 'closed', closed_volume: 0.1 }), () => 'fill')).toEqual([]);
  });

  it('holds for a position that is shown although it was closed already', () => {
    const shown = answer(200, { state: 'placed', closed_volume: 0, already_closed: true, result: { retcode: 10036 } });
    expect(acceptedThoughFilled(close, shown, () => 'none')).toEqual([]);
  });

  it.each<[string, object, FillLookUp]>([
    ['another retcode', { retcode: 10009 }, 'no fill'],
    ['a fill that was seen', {}, 'fill'],
    ['a fill that was not looked for', {}, 'none'],
  ])('fails with %s', (_case, result, lookUp) => {
    expect(acceptedThoughFilled(close, accepted(result), () => lookUp)).toHaveLength(1);
  });

  it('takes a deal for a fill that has a price', () => {
    const lookUps = new FillLookUps();
    const deal = (price: number) => [{ price, volume: 0.1 } as TradeDeal];
    expect(lookUps.of(9)).toBe('none');
    lookUps.began(9);
    lookUps.answered(9, deal(0));
    expect(lookUps.of(9)).toBe('no fill');
    lookUps.answered(9, deal(1.1));
    lookUps.began(9);
    expect(lookUps.of(9)).toBe('fill');
  });
});

describe('health', () => {
  const none = { halted: false, unwritable: false, unreachable: false, atMs: 20_000 };

  it.each(['halted', 'unwritable', 'unreachable'] as const)(
    'is not said while orders cannot be taken: %s',
    (obstacle) => {
      const obstacles = { ...none, [obstacle]: true };
      expect(saidHealthy(answer(200, { status: 'ready' }), obstacles)).toHaveLength(1);
      expect(saidHealthy(answer(200, { status: 'healthy' }), obstacles)).toHaveLength(1);
      expect(saidHealthy(answer(503, { status: 'not_ready' }), obstacles)).toEqual([]);
      expect(saidHealthy(answer(200, { status: 'degraded' }), obstacles)).toEqual([]);
      expect(saidHealthy(answer(200, { status: 'ready' }), none)).toEqual([]);
    },
  );
});

describe('complete', () => {
  const held = (heldMs: number) => [{ ticket: 5, heldMs }];

  it('is not said while something is open that was open all along', () => {
    const done = answer(200, { flatten: { complete: true } });
    expect(saidComplete(done, held(90_000))).toHaveLength(1);
    expect(saidComplete(answer(200, { closed: [] }), held(90_000))).toHaveLength(1);
    expect(saidComplete(done, held(1_000))).toEqual([]);
    expect(saidComplete(answer(200, { flatten: { complete: false } }), held(90_000))).toEqual([]);
    expect(saidComplete(answer(207, { closed: [] }), held(90_000))).toEqual([]);
  });
});

describe('events', () => {
  it('are numbered without a gap, and never go back', () => {
    expect(wrongNumbers([{ seq: 4 }, { seq: 5 }], 3)).toEqual([]);
    expect(wrongNumbers([{ seq: 4 }, { seq: 6 }], 3)).toHaveLength(1);
    expect(wrongNumbers([{ seq: 5 }], 3)).toHaveLength(1);
    expect(numbersWentBack(3, 3)).toEqual([]);
    expect(numbersWentBack(2, 3)).toHaveLength(1);
  });

  it('keep their numbers', () => {
    const told = new Map([[4, JSON.stringify({ seq: 4 })]]);
    expect(renumbered([{ seq: 4 }, { seq: 5 }], told)).toEqual([]);
    expect(renumbered([{ seq: 4 }, { seq: 5 }], new Map([[4, '{"seq":4,"event":"deal"}']]))).toHaveLength(1);
  });

  it('add each deal, and add it once', () => {
    const deal = { ticket: 9 } as NonNullable<TradeEvent['deal']>;
    const added = (seq: number) => ({ seq, event: 'deal', action: 'added', deal }) as const;
    const before = new Map(addedDeals([added(4), { ...added(5), action: 'changed' }]));
    expect(addedTwice([added(4)], before)).toEqual([]);
    expect(addedTwice([added(6)], before)).toHaveLength(1);
    expect(neverAdded([9], before)).toEqual([]);
    expect(neverAdded([9, 10], before)).toEqual(['no event has added deal 10']);
  });

  describe('say only what the broker did', () => {
    const base = { seq: 1, recorded_at: '', login: 1, server: '' };
    const trade = { symbol: 'EURUSD', type: DealType.SELL, volume: 0.1, price: 1.1, profit: 3 };
    const deal = { ...trade, ticket: 1, order: 7, position_id: 5, entry: DealEntry.OUT } as TradeDeal;
    const books: BooksOfEvents = {
      isPositionOpen: () => false,
      isOrderActive: () => false,
      dealOf: (ticket) => (ticket === 1 ? deal : undefined),
      endOf: () => ({ state: OrderState.EXPIRED }) as TradeOrder,
    };
    const added = (fields: Partial<TradeDeal> = {}) =>
      ({ ...base, event: 'deal', action: 'added', deal: { ...deal, ...fields } }) as TradeEvent;
    const closed = (fields: Partial<TradeDeal> = {}, ticket = 5): TradeEvent => {
      const deals = [{ ...deal, ...fields } as DealRow];
      return { ...base, event: 'position', action: 'closed', ticket, deals };
    };
    const ended = (state: number) =>
      ({ ...base, event: 'order', action: 'closed', ticket: 7, order: { ticket: 7, state } }) as TradeEvent;

    it('of what is closed', () => {
      expect(untrueEvents([closed()], books)).toEqual([]);
      expect(untrueEvents([closed()], { ...books, isPositionOpen: () => true })).toHaveLength(1);
      expect(untrueEvents([closed({}, 6)], books)).toHaveLength(1);
      expect(untrueEvents([closed()], { ...books, dealOf: () => ({ ...deal, entry: DealEntry.IN }) })).not.toEqual([]);
    });

    it('of how an order ended', () => {
      expect(untrueEvents([ended(OrderState.EXPIRED)], books)).toEqual([]);
      expect(untrueEvents([ended(OrderState.CANCELED)], books)).toHaveLength(1);
      expect(untrueEvents([ended(OrderState.CANCELED)], { ...books, endOf: () => undefined })).toEqual([]);
      expect(untrueEvents([ended(OrderState.EXPIRED)], { ...books, isOrderActive: () => true })).toHaveLength(1);
    });

    it('of deals', () => {
      expect(untrueEvents([added()], books)).toEqual([]);
      expect(untrueEvents([added({ ticket: 2 })], books)).toHaveLength(1);
      expect(untrueEvents([added({ price: 1.1 + 1e-9, comment: 'cut' })], books)).toEqual([]);
      expect(untrueEvents([added({ price: 1.2 })], books)).toHaveLength(1);
      expect(untrueEvents([added({ profit: 0 })], books)).toHaveLength(1);
    });
  });
});

describe('what is meant for another account is refused', () => {
  const stray = ask({ isStray: true });

  it('fails when it is sent, unless another client asked for the same', () => {
    expect(sentForOtherAccount(send(), [stray])).toHaveLength(1);
    expect(sentForOtherAccount(send(), [stray, ask({ key: 'k2' })])).toEqual([]);
    expect(sentForOtherAccount(send(), [])).toEqual([]);
  });

  it('fails when it succeeds', () => {
    expect(succeededForOtherAccount(stray, 200)).toHaveLength(1);
    expect(succeededForOtherAccount(stray, 412)).toEqual([]);
    expect(succeededForOtherAccount(ask(), 200)).toEqual([]);
  });
});

describe('a key speaks for one body', () => {
  const request = { method: 'POST', url: '/order', body: { volume: 0.1, sl: 1.1 } } as const;
  const other = { ...request, body: { volume: 0.1, sl: 1.2 } };
  const succeeded = ask({ success: { request, body: { ok: true, state: 'filled' } } });

  it('and fails when it succeeds for another one', () => {
    expect(succeededForOther(succeeded, other)).toHaveLength(1);
    expect([succeededForOther(succeeded, { ...request }), succeededForOther(ask(), other)]).toEqual([[], []]);
    const done = send({ fate: 'done', request: { sl: 1.1 } });
    expect(succeededByOther(ask(), { request: other }, [done])).toHaveLength(1);
    expect([succeededByOther(ask(), { request }, [done]), succeededByOther(ask(), { request: other }, [])]).toEqual([
      [],
      [],
    ]);
  });

  it('and nothing is sent for another one once something was sent', () => {
    const variants = ['open 7 a', 'open 7 b'].map((marker) => ({ request, marker }));
    const earlier = (fate: 'done' | 'lost') => () => [send({ fate })];
    const second = send({ number: 2, marker: 'open 7 b' });
    expect(sentForOther(second, [ask({ variants })], earlier('done'))).toHaveLength(1);
    expect(sentForOther(second, [ask({ variants })], earlier('lost'))).toEqual([]);
    expect(sentForOther(second, [ask()], () => [])).toEqual([]);
  });

  it('and an answer that lacks members of the first one says why', () => {
    expect(replacedUnmarked(succeeded, answer(200, { ok: true }))).toEqual([expect.stringContaining('lacks state')]);
    expect(replacedUnmarked(succeeded, answer(200, { ok: true, original_response_expired: true }))).toEqual([]);
    expect(replacedUnmarked(succeeded, answer(200, { ok: true, state: 'filled', recovered: false }))).toEqual([]);
  });
});

describe('a refusal for a halt, or for the loss of a day,', () => {
  it('fails after a release, and not before', () => {
    const halted = answer(423, { error_type: 'kill_switch_active' });
    expect(refusedThoughReleased(halted, 1_000, 2_000)).toHaveLength(1);
    expect([refusedThoughReleased(halted, null, 2_000), refusedThoughReleased(halted, 3_000, 2_000)]).toEqual([[], []]);
  });

  it('fails when the loss was never that large', () => {
    const denied = answer(422, { error_type: 'daily_loss_exceeded' });
    expect(deniedWithoutLoss(denied, 5, [{ least: 1, most: 4 }])).toHaveLength(1);
    expect(
      deniedWithoutLoss(denied, 5, [
        { least: 1, most: 4 },
        { least: 2, most: 5 },
      ]),
    ).toEqual([]);
  });
});
