import { defineStrategy, type StateDefinition, type Trade } from '@libs/strategy';
import type { StateText } from '../../core/records';
import type { StrategyEvent } from '../../core/strategy-event';
import type { Reaction } from './messages';
import type { View } from '../../live/view';
import { StrategyInstance } from './strategy-instance';

interface Kept {
  count: number;
  note?: unknown;
}

class Params {}

const view: View = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const streams = [{ alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }];
const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };
const bar = (warmingUp = false): StrategyEvent => ({
  ...{ type: 'bar', warmingUp, serverMs: 0, closedMs: 60_000, onArrival: null },
  bar: { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs: 0, ...prices },
});
const one: StateDefinition<Kept> = { version: 1, initial: { count: 0 } };

describe('trade.state', () => {
  let seen: unknown[];
  beforeEach(() => (seen = []));

  /** A strategy that does this with each bar. */
  function instance(
    onBar: (trade: Trade<'main', Kept>) => void,
    state: StateDefinition<Kept> = one,
    stored: StateText | null = null,
  ): StrategyInstance {
    const strategy = defineStrategy({
      version: 1,
      params: Params,
      streams: ['main'],
      state,
      create: () => ({
        onBar(_bar, trade) {
          seen.push(structuredClone(trade.state));
          onBar(trade);
        },
      }),
    });
    return new StrategyInstance(strategy, { params: {}, streams, idPrefix: 'x', state: stored });
  }
  const counts = (trade: Trade<'main', Kept>): void => void trade.state.count++;
  const left = ({ state, stateProblem, error }: Reaction) => [state?.json ?? null, stateProblem, error];

  it('is what it was declared with, until a handler changes it', () => {
    const strategy = instance(counts);
    expect(strategy.loaded.state).toEqual({ version: 1, json: '{"count":0}' });
    expect(strategy.handle(bar(), view).state).toEqual({ version: 1, json: '{"count":1}' });
    expect(strategy.handle(bar(), view).state).toEqual({ version: 1, json: '{"count":2}' });
    expect(seen).toEqual([{ count: 0 }, { count: 1 }]);
    expect(one.initial).toEqual({ count: 0 });
  });

  it('may be assigned as a whole', () => {
    const strategy = instance((trade) => (trade.state = { count: trade.state.count + 5 }));
    expect(left(strategy.handle(bar(), view))).toEqual(['{"count":5}', null, null]);
  });

  it('is not written again where it stays the same', () => {
    const strategy = instance((trade) => (trade.state = { count: 0 }));
    expect(left(strategy.handle(bar(), view))).toEqual([null, null, null]);
  });

  it('continues with the state of an earlier start', () => {
    const strategy = instance(counts, one, { version: 1, json: '{"count":7}' });
    expect(strategy.loaded.state?.json).toBe('{"count":7}');
    expect(strategy.handle(bar(), view).state?.json).toBe('{"count":8}');
  });

  it('keeps what a handler changed before it threw, as its actions are', () => {
    const strategy = instance((trade) => {
      trade.state.count = 3;
      trade.buy('main', { volume: 1 });
      throw new Error('later');
    });
    const reaction = strategy.handle(bar(), view);
    expect(left(reaction)).toEqual(['{"count":3}', null, expect.stringContaining('later')]);
    expect(reaction.intents).toHaveLength(1);
  });

  it('is restored after each warm-up bar, which every start replays', () => {
    const strategy = instance(counts, one, { version: 1, json: '{"count":7}' });
    expect(left(strategy.handle(bar(true), view))).toEqual([null, null, null]);
    expect(strategy.handle(bar(true), view).state).toBeNull();
    expect(strategy.handle(bar(), view).state?.json).toBe('{"count":8}');
    expect(seen).toEqual([{ count: 7 }, { count: 7 }, { count: 7 }]);
  });

  it('is unchanged if it cannot be kept, and the problem names the member', () => {
    const strategy = instance((trade) => {
      trade.state.count++;
      trade.state.note = { at: [new Date(0)] };
    });
    const problem = 'trade.state.note.at[0] is a Date, which JSON does not support: use plain objects and lists';
    expect(left(strategy.handle(bar(), view))).toEqual([null, problem, null]);
    expect(left(strategy.handle(bar(), view))).toEqual([null, problem, null]);
    expect(seen).toEqual([{ count: 0 }, { count: 0 }]);
  });

  it('has at most 64 KiB as JSON, counted in bytes', () => {
    const around = '{"count":0,"note":""}'.length;
    const noting = (note: string) => instance((trade) => (trade.state.note = note)).handle(bar(), view);
    expect(noting('x'.repeat(65_536 - around)).stateProblem).toBeNull();
    expect(noting('x'.repeat(65_537 - around)).stateProblem).toBe(
      'trade.state has 65537 bytes as JSON; a strategy keeps at most 65536',
    );
    expect(noting('é'.repeat(40_000)).stateProblem).toContain('bytes as JSON');
  });

  it('cannot begin with a value that cannot be kept', () => {
    const initial = { count: Number.NaN };
    expect(() => instance(counts, { version: 1, initial })).toThrow('state.initial.count is NaN');
  });

  it('is an error in a strategy that declares none', () => {
    const strategy = defineStrategy({
      version: 1,
      params: Params,
      create: () => ({ onBar: (_bar, trade: Trade) => void trade.log(String(trade.state)) }),
    });
    const none = new StrategyInstance(strategy, { params: {}, streams, idPrefix: 'x', state: null });
    expect(none.loaded.state).toBeNull();
    expect(none.handle(bar(), view).error).toContain('the strategy declares no state: add `state: { version: 1');
  });

  describe('of another version', () => {
    const stored = { version: 1, json: '{"wins":4}' };
    const two: StateDefinition<Kept> = {
      version: 2,
      initial: { count: 0 },
      migrate: (old, version) => ({ count: (old as { wins: number }).wins, note: `from ${version}` }),
    };

    it('is migrated when the strategy is loaded', () => {
      expect(instance(counts, two, stored).loaded.state).toEqual({
        version: 2,
        json: '{"count":4,"note":"from 1"}',
      });
    });

    it('refuses the strategy without a migration', () => {
      expect(() => instance(counts, { version: 2, initial: { count: 0 } }, stored)).toThrow(
        'the stored state has version 1, and the strategy declares state.version 2: add state.migrate',
      );
    });

    it('refuses the strategy if the migrated state cannot be kept', () => {
      const wrong = { ...two, migrate: () => ({ count: Infinity }) };
      expect(() => instance(counts, wrong, stored)).toThrow('state.migrate(…).count is Infinity');
    });

    it('is taken over from the version before it, and a failure changes nothing', () => {
      const strategy = instance(counts, two);
      expect(() => strategy.adopt({ version: 1, json: 'null' })).toThrow();
      expect(strategy.handle(bar(), view).state?.json).toBe('{"count":1}');
      expect(strategy.adopt(stored)).toEqual({ version: 2, json: '{"count":4,"note":"from 1"}' });
      expect(strategy.handle(bar(), view).state?.json).toBe('{"count":5,"note":"from 1"}');
    });
  });
});
