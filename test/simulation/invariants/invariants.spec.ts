import { TradeAction, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import type { SendRecord } from '../sends';
import { answer, ask, change, send } from '../testing/sample';
import {
  sentForOtherAccount,
  sentLongAfterSwitch,
  sentToOtherAccount,
  sentWithoutReading,
  succeededForOtherAccount,
} from './account';
import { storiesDiffer } from './accounts-agree';
import { acknowledgedButMissing, acknowledgedForOthers, acknowledgedToTwo } from './acknowledged-exists';
import { auditProblems, intentsWithoutOutcome } from './audit-log';
import { FillLookUps } from '../judging/fill-look-ups';
import { sentThoughHalted } from './halted';
import { sentBeforeJournal, sentWithoutIntent } from './intent-on-disk';
import { overLimit } from './limits';
import { unsettled } from './liveness';
import { orderedTwice, unasked } from './one-order-per-key';
import { acceptedThoughFilled, type FillLookUp } from './only-accepted';
import { changesOverlap, protectionLost, type WantedLevels } from './protection';
import { saidHealthy } from './healthy';
import { doneThoughRefused, sentThoughRefused } from './refused-not-done';

describe('no key has two orders', () => {
  const second = send({ number: 2 });

  it.each(['done', 'in transit'] as const)('fails when an earlier send is %s', (fate) => {
    expect(orderedTwice(second, [send({ fate })], [ask()])).toEqual([
      expect.stringContaining('send 2 (open 7 a) for k1'),
    ]);
  });

  it.each(['not done', 'lost', 'dropped'] as const)('holds when the earlier send was %s', (fate) => {
    expect(orderedTwice(second, [send({ fate })], [ask()])).toEqual([]);
  });

  it('counts the keys that ask for the same', () => {
    const both = [ask(), ask({ key: 'k2' })];
    expect(orderedTwice(second, [send({ fate: 'done' })], both)).toEqual([]);
    expect(orderedTwice(send({ number: 3 }), [send({ fate: 'done' }), second], both)).toHaveLength(1);
  });

  it('holds when the gateway has forgotten the earlier send, and that alone', () => {
    const forgotten = send({ fate: 'done', isForgotten: true });
    expect(orderedTwice(second, [forgotten], [ask()])).toEqual([]);
    expect(orderedTwice(send({ number: 3 }), [forgotten, second], [ask()])).toHaveLength(1);
  });

  it('fails for a send that no client asked for, unless the account is being flattened', () => {
    expect(unasked(send(), [], false)).toHaveLength(1);
    expect(unasked(send(), [], true)).toEqual([]);
    expect(unasked(send(), [ask()], false)).toEqual([]);
  });
});

describe('what was refused is not done', () => {
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

  it.each<[string, object, FillLookUp]>([
    ['another retcode', { retcode: 10009 }, 'no fill'],
    ['a fill that was seen', {}, 'fill'],
    ['a fill that nobody looked for', {}, 'none'],
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

describe('nothing is sent while trading is halted', () => {
  it('fails for an order, and not for a cancellation', () => {
    expect(sentThoughHalted(send(), 80_000, 5_000)).toHaveLength(1);
    const cancel = send({ request: { action: TradeAction.REMOVE, order: 3 } });
    expect(sentThoughHalted(cancel, 80_000, 5_000)).toEqual([]);
  });

  it('holds while the switch may have been read before', () => {
    expect(sentThoughHalted(send(), 96_000, 5_000)).toEqual([]);
    expect(sentThoughHalted(send(), null, 5_000)).toEqual([]);
  });
});

describe('nothing exceeds a limit', () => {
  const limits = { symbols: ['EURUSD'], mostOrderVolume: 1, mostOpenVolume: 2, mostPerMinute: 3 };

  it.each<[string, Parameters<typeof send>[0], number, number]>([
    ['another symbol', { request: { symbol: 'GBPUSD' } }, 0, 0],
    ['the volume of one order', { request: { volume: 1.1 } }, 0, 0],
    ['what is open', {}, 1.95, 0],
    ['the rate', {}, 0, 3],
  ])('fails for %s', (_case, changes, lots, entries) => {
    expect(overLimit(send(changes), limits, lots, entries)).toHaveLength(1);
  });

  it('holds at the limits, and for every exit', () => {
    expect(overLimit(send({ request: { volume: 1 } }), limits, 1, 2)).toEqual([]);
    expect(overLimit(send({ request: { volume: 9, position: 5 } }), limits, 9, 9)).toEqual([]);
    expect(overLimit(send({ addedLots: 0, request: { volume: 9 } }), limits, 9, 9)).toEqual([]);
  });
});

describe('the other invariants of a send', () => {
  it('fail when the account that was read last is another one, or none', () => {
    const read = (login: number, atMs: number): string[] => sentToOtherAccount(send({ atMs: 10 }), { login, atMs }, 1);
    expect(read(2, 9)).toHaveLength(1);
    expect(sentToOtherAccount(send(), null, 1)).toHaveLength(1);
    expect([read(1, 9), read(2, 10)]).toEqual([[], []]);
    const late = (login: number, atMs: number): string[] => sentLongAfterSwitch(send({ login, atMs }), 1_000, 1, 0);
    expect(late(2, 20_000)).toHaveLength(1);
    expect([late(2, 10_000), late(1, 20_000)]).toEqual([[], []]);
  });

  it('fail when an entry goes out before its intent is in the journal', () => {
    expect(sentBeforeJournal(send(), new Set(['id/1']))).toHaveLength(1);
    expect(sentBeforeJournal(send(), new Set(['id/0']))).toEqual([]);
    expect(sentBeforeJournal(send({ request: { position: 5 } }), new Set())).toEqual([]);
  });

  it('fail when a crash leaves no line of the intent of an entry', () => {
    expect(sentWithoutIntent(send(), ['{"intent_id":"id/1"}'])).toHaveLength(1);
    expect(sentWithoutIntent(send(), ['', '{"intent_id":"id/0"}'])).toEqual([]);
    expect(sentWithoutIntent(send({ request: { position: 5 } }), [])).toEqual([]);
  });
});

describe('protection changes only on request', () => {
  const standing = { sl: 1, tp: 2 };
  const lost = (made: SendRecord, wanted: WantedLevels, ...others: SendRecord[]): string[] =>
    protectionLost(made, wanted, others, 5_000);

  it('fails when a level changes that was to stay', () => {
    expect(lost(change({ standing, request: { sl: 1.1, tp: 0 } }), { sl: 1.1 })).toHaveLength(1);
    expect(lost(change({ standing, request: { sl: 1.1, tp: 2 } }), { sl: 1.1 })).toEqual([]);
  });

  it('fails when a level becomes another one than was asked for', () => {
    expect(lost(change({ standing, request: { sl: 0, tp: 2 } }), { sl: 1.1 })).toHaveLength(1);
    expect(lost(change({ standing, request: { sl: 0, tp: 2 } }), { sl: null })).toEqual([]);
  });

  describe('when a change that was given up is executed late', () => {
    const late = change({ answeredAtMs: 80_000, executedAtMs: 99_000, replaced: { sl: 1, tp: 3 } });
    const next = change({ standing, request: { sl: 1.1, tp: 3 } });

    it('holds for what it replaced between the read and the send', () => {
      expect(lost(next, { sl: 1.1 }, late)).toEqual([]);
      expect(lost(next, { sl: 1.1 }, { ...late, answeredAtMs: null })).toEqual([]);
    });

    it('fails for other levels, for an earlier execution, and for a change that was not given up', () => {
      expect(lost({ ...next, request: { ...next.request, tp: 0 } }, { sl: 1.1 }, late)).toHaveLength(1);
      expect(lost({ ...next, request: { ...next.request, sl: 1 } }, { sl: 1.1 }, late)).toHaveLength(1);
      expect(lost(next, { sl: 1.1 }, { ...late, executedAtMs: 90_000 })).toHaveLength(1);
      expect(lost(next, { sl: 1.1 }, { ...late, answeredAtMs: 99_500 })).toHaveLength(1);
    });
  });

  it('fails when two changes of one position overlap', () => {
    expect(changesOverlap(change({ number: 2 }), [change()])).toHaveLength(1);
    expect(changesOverlap(change({ number: 2 }), [change({ answeredAtMs: 90_000 })])).toEqual([]);
    expect(changesOverlap(change({ number: 2, run: 2 }), [change()])).toEqual([]);
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

describe('the end of a run', () => {
  it('fails for a request without a last word', () => {
    expect(unsettled([ask()], 900_000)).toEqual(['k1 (open) has no last word 900 s after the last fault']);
  });

  it('fails when clients and broker disagree', () => {
    const done = ask({ lastWord: 'done', order: 9, doneMarker: 'open 7 a' });
    expect(storiesDiffer('open 7 a', [], [done])).toHaveLength(1);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [done])).toEqual([]);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [ask({ lastWord: 'refused' })])).toHaveLength(1);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [ask({ lastWord: 'undecidable' })])).toEqual([]);
    // The key was acknowledged for its other parameters.
    const other = ask({ lastWord: 'done', order: 9, doneMarker: 'open 8 a' });
    expect(storiesDiffer('open 7 a', [], [other])).toEqual([]);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [other])).toHaveLength(1);
    // What was forgotten may have been done beside what was acknowledged.
    const forgotten = send({ fate: 'done', isForgotten: true });
    expect(storiesDiffer('open 7 a', [forgotten, send({ fate: 'done' })], [done])).toEqual([]);
    expect(
      storiesDiffer(
        'open 7 a',
        [1, 2].map((number) => send({ number, fate: 'done' })),
        [done],
      ),
    ).toHaveLength(1);
  });
});

describe('the audit log holds together', () => {
  const line = (sequence: number, event: string, intent: string | null = null, second = sequence): string =>
    `${JSON.stringify({ timestamp: `2026-01-07T10:00:0${second}.000Z`, sequence, event, intent_id: intent })}\n`;

  it('when it is numbered, in time, and every intent has its outcome', () => {
    const text = line(1, 'intent', 'a') + line(2, 'broker_response', 'a') + line(3, 'kill_engaged');
    expect(auditProblems([text])).toEqual([]);
  });

  it('over its files, and over a line that a crash cut short', () => {
    expect(auditProblems([line(1, 'intent', 'a'), `{"cut\n${line(2, 'unknown_outcome', 'a')}`])).toEqual([]);
  });

  it.each([
    ['a gap', line(1, 'login') + line(3, 'login')],
    ['a line back in time', line(1, 'login', null, 5) + line(2, 'login', null, 4)],
    ['an intent that is there twice', line(1, 'intent', 'a') + line(2, 'intent', 'a') + line(3, 'refused', 'a')],
    ['an intent without an outcome', line(1, 'intent', 'a')],
  ])('but not with %s', (_case, text) => {
    expect(auditProblems([text])).toHaveLength(1);
  });

  it('without the outcomes that a lost journal or a crash has taken, and those alone', () => {
    const texts = [line(1, 'intent', 'a') + line(2, 'intent', 'b') + line(3, 'refused', 'b'), line(4, 'intent', 'c')];
    expect(intentsWithoutOutcome(texts)).toEqual(['a', 'c']);
    expect(auditProblems(texts, new Set(['a', 'c']))).toEqual([]);
    expect(auditProblems(texts, new Set(['a']))).toEqual(['intent c has no outcome']);
  });
});

describe('the account is read before each send', () => {
  it('fails when that was too long ago, or never', () => {
    const reading = { login: 1, atMs: 99_990 };
    expect(sentWithoutReading(send({ atMs: 100_000 }), reading, 10)).toEqual([]);
    expect(sentWithoutReading(send({ atMs: 100_000 }), reading, 9)).toHaveLength(1);
    expect(sentWithoutReading(send({ atMs: 100_000 }), null, 9)).toHaveLength(1);
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
