import { TradeAction } from '@libs/terminal-client';
import { ask, send } from '../testing/sample';
import { sentLongAfterSwitch, sentToOtherAccount, sentWithoutReading } from './account';
import { lossSeen, sentOverLoss } from './daily-loss';
import { sentAfterRelease, sentThoughHalted } from './halted';
import { sentBeforeJournal, sentWithoutIntent } from './intent-on-disk';
import { executedOverLimit, overLimit } from './limits';
import { orderedTwice, unasked } from './one-order-per-key';

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
  const limits = {
    ...{ symbols: ['EURUSD'], mostOrderVolume: 1, mostOpenVolume: 2, mostOpenVolumePerSymbol: 1.5 },
    ...{ mostPerMinute: 3, mostDailyLoss: 9 },
  };
  it.each<[string, Parameters<typeof send>[0], number, number, number]>([
    ['another symbol', { request: { symbol: 'GBPUSD' } }, 0, 0, 0],
    ['the volume of one order', { request: { volume: 1.1 } }, 0, 0, 0],
    ['what is open', {}, 1.95, 0, 0],
    ['what is open of its symbol', {}, 1.45, 1.45, 0],
    ['the rate', {}, 0, 0, 3],
  ])('fails for %s', (_case, changes, all, ofSymbol, entries) => {
    expect(overLimit(send(changes), limits, { all, ofSymbol }, entries)).toHaveLength(1);
  });

  it('holds at the limits, and for every exit', () => {
    expect(overLimit(send({ request: { volume: 1 } }), limits, { all: 1, ofSymbol: 0.5 }, 2)).toEqual([]);
    const much = { all: 9, ofSymbol: 9 };
    expect(overLimit(send({ request: { volume: 9, position: 5 } }), limits, much, 9)).toEqual([]);
    expect(overLimit(send({ addedLots: 0, request: { volume: 9 } }), limits, much, 9)).toEqual([]);
  });

  it('fails when the broker has more after an order, though it was to reduce when it was sent', () => {
    const executed = (request: object, all: number, ofSymbol: number): string[] =>
      executedOverLimit(send({ addedLots: 0, request }), limits, { all, ofSymbol });
    expect(executed({}, 2.1, 0.1)).toHaveLength(1);
    expect(executed({}, 1.6, 1.6)).toHaveLength(1);
    expect(executed({}, 2, 1.5)).toEqual([]);
    expect(executed({ position: 5 }, 9, 9)).toEqual([]);
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

describe('the account is read before each send', () => {
  it('fails when that was too long ago, or never', () => {
    const reading = { login: 1, atMs: 99_990 };
    expect(sentWithoutReading(send({ atMs: 100_000 }), reading, 10)).toEqual([]);
    expect(sentWithoutReading(send({ atMs: 100_000 }), reading, 9)).toHaveLength(1);
    expect(sentWithoutReading(send({ atMs: 100_000 }), null, 9)).toHaveLength(1);
  });
});

describe('what came while trading was halted is not sent', () => {
  it('after the release', () => {
    expect(sentAfterRelease(send(), [20_000, 9_000], 5_000)).toHaveLength(1);
    expect(sentAfterRelease(send(), [20_000, 0], 5_000)).toEqual([]);
    expect(sentAfterRelease(send({ request: { action: TradeAction.REMOVE, order: 3 } }), [20_000], 5_000)).toEqual([]);
  });
});

describe('no entry is sent over the loss of a day', () => {
  const dayMs = 86_400_000;
  const money = {
    serverMs: 10 * dayMs + 3_600_000,
    results: [
      { atMs: 10 * dayMs - 60_000, result: -50 },
      { atMs: 10 * dayMs + 60_000, result: -7 },
      { atMs: 10 * dayMs + 3_599_000, result: -2 },
      { atMs: 10 * dayMs + 3_599_500, result: 1 },
    ],
    floating: [-3, 2],
  };

  it('that the gateway must have seen: without the day before, and without what lists may not show yet', () => {
    expect(lossSeen(money, 2_000, 0)).toEqual({ least: 7 - 1 + 1, most: 2 * 9 + 3 });
    expect(lossSeen(money, 100, 0.5)).toEqual({ least: 7 + 2 - 1 + 1 - 0.5, most: 2 * 9 + 3 + 0.5 });
    const next = { ...money, serverMs: 11 * dayMs + 60_000 };
    expect(lossSeen(next, 2_000, 0)).toEqual({ least: 1, most: 3 });
  });

  it('fails for an entry at the limit, and for no exit', () => {
    expect(sentOverLoss(send(), 5, [{ least: 5, most: 9 }])).toHaveLength(1);
    expect(
      sentOverLoss(send(), 5, [
        { least: 5, most: 9 },
        { least: 4, most: 9 },
      ]),
    ).toEqual([]);
    expect(sentOverLoss(send({ request: { position: 5 } }), 5, [{ least: 9, most: 9 }])).toEqual([]);
  });
});
