import { TradeAction } from '@libs/terminal-client';
import type { IntentRecord } from '../../../../apps/daemon/src/core/records';
import { change, send } from '../../testing/sample';
import { TradeAsks, type TradeAsk } from '../trade-asks';
import { isOpenAfterBlockedClose } from './blocked-closes';
import { waitingBesideFilled } from './groups';
import { toldWell } from './health';
import { ledgerDiffers, type Holdings } from './ledgers';
import { enteredDifferently, orderedTwice, protectionLost, unasked } from './orders';
import { childRuns, isOverLimit, limitPassed, lossOfNoBook, resultDiffers, type PortfolioSeen } from './portfolios';
import { beganWithOldState, sentBeforeItsState } from './kept-states';
import {
  changedUnderKey,
  enteredLate,
  enteredOnOldBar,
  enteredThoughHalted,
  enteredTwice,
  enteredUnseeing,
  sentBeforeState,
} from './requests';

const body = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7, sl: 1.05 };

function ask(changes: Partial<TradeAsk> = {}): TradeAsk {
  return { key: 'k1', site: 0, method: 'POST', path: '/order', body, isEntry: true, atMs: 100_000, run: 1, ...changes };
}

function record(changes: Partial<IntentRecord> = {}): IntentRecord {
  return {
    ...{ key: 'k1', strategy: 'one', broker: 'gw0', intentId: 'i1', stream: 's0', symbol: 'EURUSD', ticket: null },
    ...{ call: { method: 'POST', path: '/order', body }, isEntry: true, createdAtMs: 0, state: 'open', outcome: null },
    ...changes,
  };
}

const byKey = (...records: readonly IntentRecord[]): ReadonlyMap<string, IntentRecord> =>
  new Map(records.map((one) => [one.key, one]));

describe('a close that was not done', () => {
  const reason = 'kill_switch_active: the kill switch is active: trading is halted';

  it('is settled only when the kill switch blocked it and the position is open', () => {
    const problem = `position 7 could not be closed: ${reason}`;
    expect(isOpenAfterBlockedClose(problem, new Set([7]))).toBe(true);
    expect(isOpenAfterBlockedClose(problem, new Set([8]))).toBe(false);
    expect(isOpenAfterBlockedClose('position 7 could not be closed: broker_rejected: no', new Set([7]))).toBe(false);
    expect(isOpenAfterBlockedClose(`in flight: ${problem}`, new Set([7]))).toBe(false);
  });
});

describe('a strategy that enters', () => {
  const enters = [{ id: 'i1', action: 'enter', side: 'buy', stream: 's0', options: { volume: 0.1 } }] as const;
  const held = { gateway: 'gw0', ticket: 7, identifier: 6, symbol: 'EURUSD', isNetting: false };
  const row = { broker: 'gw0', ticket: 7, symbol: 'EURUSD' };
  const flat = { inFlight: 0, positions: [], orders: [] };

  it('is shown what it holds, or that something is in flight', () => {
    const problem = ['one enters, and is not shown its position 7 on gw0'];
    expect(enteredUnseeing('one', enters, flat, [held])).toEqual(problem);
    expect(enteredUnseeing('one', enters, { ...flat, positions: [{ ...row, broker: 'gw1' }] }, [held])).toEqual(
      problem,
    );
    expect(enteredUnseeing('one', enters, { ...flat, inFlight: 1 }, [held])).toEqual([]);
    expect(enteredUnseeing('one', enters, { ...flat, positions: [row] }, [held])).toEqual([]);
    expect(enteredUnseeing('one', enters, { ...flat, orders: [{ ...row, ticket: 6 }] }, [held])).toEqual([]);
    expect(enteredUnseeing('one', [], flat, [held])).toEqual([]);
  });

  it('is shown the position of a symbol under any ticket, where there is only one', () => {
    const another = { ...flat, positions: [{ ...row, ticket: 9 }] };
    expect(enteredUnseeing('one', enters, another, [held])).toHaveLength(1);
    expect(enteredUnseeing('one', enters, another, [{ ...held, isNetting: true }])).toEqual([]);
  });
});

describe('what a request of the daemon is held against', () => {
  it('is the request that the key had before', () => {
    const request = { method: 'POST', url: '/order', body } as const;
    expect(changedUnderKey(ask(), 0, request)).toEqual([]);
    expect(changedUnderKey(ask(), 1, request)).toHaveLength(1);
    expect(changedUnderKey(ask(), 0, { ...request, body: { ...body, volume: 0.2 } })).toHaveLength(1);
  });

  it('is the state of the daemon', () => {
    expect(sentBeforeState(ask(), byKey(record()))).toEqual([]);
    expect(sentBeforeState(ask(), byKey())).toEqual(["the entry k1 is sent, and is not in the daemon's state"]);
    expect(sentBeforeState(ask({ isEntry: false }), byKey())).toEqual([]);
  });

  it('is any other key of its intent', () => {
    const sent = new Map([['k1', ask()]]);
    const entered = (other: Partial<IntentRecord>, sentToo = sent): string[] =>
      enteredTwice(ask(), byKey(record(), record({ key: 'k2', ...other })), sentToo);
    expect([entered({ intentId: 'i2' }), entered({ strategy: 'two' })]).toEqual([[], []]);
    expect([entered({}), entered({ state: 'absent' })]).toEqual([[expect.stringContaining('k2')], []]);
    expect(entered({ state: 'absent' }, new Map([...sent, ['k2', ask({ key: 'k2' })]]))).toHaveLength(1);
  });

  it('is the time of its first send, and the run that made it', () => {
    expect(enteredLate(ask(), 110_000, 1, 0)).toEqual([]);
    expect(enteredLate(ask(), 115_000, 1, 0)).toHaveLength(1);
    expect(enteredLate(ask(), 115_000, 1, 10_000)).toEqual([]);
    expect(enteredLate(ask(), 100_001, 2, 0)).toEqual(['the entry k1 of run 1 is sent by run 2']);
  });

  it('is the age of the bar that it was decided on', () => {
    const decision = { barClosedMs: 90_000, barMs: 60_000, state: null };
    expect(enteredOnOldBar(ask(), decision, 0)).toEqual([]);
    expect(enteredOnOldBar(ask({ atMs: 160_000 }), decision, 0)).toHaveLength(1);
    expect(enteredOnOldBar(ask({ atMs: 160_000, isEntry: false }), decision, 0)).toEqual([]);
    expect(enteredOnOldBar(ask({ atMs: 160_000 }), null, 0)).toEqual([]);
  });

  it('is what its strategy keeps since it was decided', () => {
    const decision = { barClosedMs: null, barMs: 60_000, state: { json: '{"decisions":2}' } };
    const kept = (json: string) => ({ strategy: 'one', version: 1, json });
    expect(sentBeforeItsState(ask(), decision, kept('{"decisions":2}'))).toEqual([]);
    expect(sentBeforeItsState(ask(), { ...decision, state: null }, null)).toEqual([]);
    expect(sentBeforeItsState(ask({ isEntry: false }), decision, null)).toEqual([]);
    expect(sentBeforeItsState(ask(), decision, kept('{"decisions":1}'))).toHaveLength(1);
    expect(sentBeforeItsState(ask(), decision, null)).toHaveLength(1);
    expect(beganWithOldState('one', { version: 1, json: '{"decisions":0}' }, null)).toEqual([]);
    expect(beganWithOldState('one', kept('{"decisions":3}'), kept('{"decisions":2}'))).toEqual([]);
    expect(beganWithOldState('one', kept('{"decisions":1}'), kept('{"decisions":2}'))).toHaveLength(1);
    expect(beganWithOldState('one', null, kept('{"decisions":2}'))).toHaveLength(1);
  });

  it('is the halt of its strategy', () => {
    expect(enteredThoughHalted(ask(), null, 0)).toEqual([]);
    expect(enteredThoughHalted(ask(), 99_000, 2_000)).toEqual([]);
    expect(enteredThoughHalted(ask(), 90_000, 2_000)).toHaveLength(1);
  });
});

describe('what an order at the broker is held against', () => {
  const sent = send({ request: { sl: 1.05 } });

  it('is the request that its comment names', () => {
    expect(unasked(sent, ask())).toEqual([]);
    expect(unasked(sent, null)).toHaveLength(1);
    expect(enteredDifferently(sent, ask())).toEqual([]);
    expect(enteredDifferently(send({ request: { sl: 0 } }), ask())).toHaveLength(1);
    expect(enteredDifferently(send({ request: { sl: 1.05, volume: 0.2 } }), ask())).toHaveLength(1);
  });

  it('is any other order under its key', () => {
    expect(orderedTwice(sent, ask(), [send({ fate: 'not done' }), send({ fate: 'lost' })])).toEqual([]);
    expect(orderedTwice(sent, ask(), [send({ fate: 'done' })])).toHaveLength(1);
  });

  it('is what the daemon asked to change', () => {
    const request = { action: TradeAction.SLTP, position: 5, sl: 0, tp: 1.2 };
    const changed = change({ standing: { sl: 1.05, tp: 1.2 }, request });
    const clearing = ask({ path: '/modify_sl_tp', body: { position: 5, clear_sl: true }, isEntry: false });
    expect(protectionLost(changed, [clearing])).toEqual([]);
    expect(protectionLost(changed, [ask({ path: '/modify_sl_tp', body: { position: 5, sl: 1.06 } })])).toHaveLength(1);
  });

  it('is a change of that position or order', () => {
    const asks = new TradeAsks();
    const note = (method: 'POST' | 'PUT', url: string, body: object): unknown =>
      asks.note(0, { method, url, body: { ...body }, headers: { 'idempotency-key': `${method} ${url}` } }, 0, 1);
    note('POST', '/modify_sl_tp', { position: 5, sl: 1.05 });
    note('PUT', '/orders/6', { price: 1.1 });
    expect(asks.changesOf(0, 5)).toMatchObject([{ path: '/modify_sl_tp' }]);
    expect(asks.changesOf(0, 6)).toMatchObject([{ path: '/orders/6' }]);
    expect([...asks.changesOf(1, 6), ...asks.changesOf(0, 7)]).toEqual([]);
  });
});

describe('what the daemon reports', () => {
  const holdings = (changes: Partial<Holdings> = {}): Holdings => {
    return { positions: new Map([[5, 0.1]]), orders: new Set([6]), realized: -0.35, ...changes };
  };

  it('is held against the account', () => {
    expect(ledgerDiffers('one', holdings(), holdings())).toEqual([]);
    expect(ledgerDiffers('one', holdings({ positions: new Map() }), holdings())).toHaveLength(1);
    expect(ledgerDiffers('one', holdings(), holdings({ orders: new Set() }))).toHaveLength(1);
    expect(ledgerDiffers('one', holdings(), holdings({ realized: -0.34 }))).toHaveLength(1);
  });

  it('is held against what keeps orders away', () => {
    const well = { condition: 'ok', reachable: true, ready: true };
    const nothing = { unreachable: false, halted: false };
    expect(toldWell('gw0', well, nothing)).toEqual([]);
    expect(toldWell('gw0', well, { ...nothing, unreachable: true })).toHaveLength(1);
    expect(toldWell('gw0', { ...well, reachable: false }, { ...nothing, unreachable: true })).toHaveLength(1);
    expect(toldWell('gw0', well, { ...nothing, halted: true })).toHaveLength(1);
    expect(
      toldWell('gw0', { condition: 'degraded', reachable: false, ready: false }, { unreachable: true, halted: true }),
    ).toEqual([]);
  });
});

describe('what a portfolio is held against', () => {
  const children = [
    { name: 'book/one', isHalted: true },
    { name: 'book/two', isHalted: false },
  ];
  const seen = (changes: Partial<PortfolioSeen> = {}): PortfolioSeen => {
    return { name: 'book', haltedForMs: null, drawdownPct: 1, maxDrawdownPct: 2, children, ...changes };
  };

  it('is the halt of its children', () => {
    expect(childRuns(seen(), 0)).toEqual([]);
    expect(childRuns(seen({ haltedForMs: 5_000 }), 0)).toEqual([]);
    expect(childRuns(seen({ haltedForMs: 10_000 }), 5_000)).toEqual([]);
    expect(childRuns(seen({ haltedForMs: 10_000 }), 0)).toEqual([
      'portfolio book has been halted for 10000 ms, and its child book/two is not',
    ]);
  });

  it('is its limit', () => {
    expect(isOverLimit(seen())).toBe(false);
    expect(isOverLimit(seen({ drawdownPct: null }))).toBe(false);
    expect(isOverLimit(seen({ maxDrawdownPct: null }))).toBe(false);
    expect(isOverLimit(seen({ drawdownPct: 2 }))).toBe(true);
    expect(limitPassed(seen(), null, 0)).toEqual([]);
    expect(limitPassed(seen(), 5_000, 0)).toEqual([]);
    expect(limitPassed(seen({ haltedForMs: 0 }), 10_000, 0)).toEqual([]);
    expect(limitPassed(seen(), 10_000, 0)).toHaveLength(1);
  });

  it('is a loss that the books have', () => {
    const of = (reason: string, most: number): string[] => lossOfNoBook('book', reason, most, 10_000);
    expect(of('daily loss of 5.00 reached maxDailyLoss 2', 4)).toEqual([]);
    expect(of('daily loss of 5.00 reached maxDailyLoss 2', 3)).toHaveLength(1);
    expect(of('drawdown of 0.05 % reached maxDrawdownPct 0.02', 4)).toEqual([]);
    expect(of('drawdown of 0.05 % reached maxDrawdownPct 0.02', 3)).toHaveLength(1);
    expect(of('halted by an operator', 0)).toEqual([]);
  });

  it('is the deals of its children', () => {
    expect(resultDiffers('book', -0.35, -0.35)).toEqual([]);
    expect(resultDiffers('book', -0.35, -0.7)).toHaveLength(1);
  });
});

describe('no order of a group waits', () => {
  const waiting = { group: 'a 1', gateway: 'gw0', ticket: 5, isActive: true, isFilled: false };
  const filled = { ...waiting, ticket: 6, isActive: false, isFilled: true };

  it('once another one of the group has filled', () => {
    expect(waitingBesideFilled([waiting, filled])).toEqual([
      expect.stringContaining('order 5 on gw0 waits, and order 6'),
    ]);
    expect(waitingBesideFilled([waiting, { ...filled, group: 'b 1' }])).toEqual([]);
    expect(waitingBesideFilled([waiting, { ...filled, isFilled: false }])).toEqual([]);
    expect(waitingBesideFilled([{ ...waiting, isActive: false }, filled])).toEqual([]);
  });
});
