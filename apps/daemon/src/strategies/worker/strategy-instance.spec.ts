import { defineStrategy } from '@libs/strategy';
import type { StrategyEvent } from '../../core/strategy-event';
import type { View } from '../../live/view';
import { StrategyInstance } from './strategy-instance';

class Params {}

const view: View = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const startMs = Date.UTC(2024, 0, 1, 12);
const minuteMs = 60_000;
const streams = [{ alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }];
const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };

describe('the timer of a strategy', () => {
  let fired: number[];
  let instance: StrategyInstance;

  beforeEach(() => {
    fired = [];
    const strategy = defineStrategy({
      version: 1,
      params: Params,
      timerSeconds: 300,
      create: () => ({ onTimer: ({ timeMs }) => void fired.push((timeMs - startMs) / minuteMs) }),
    });
    instance = new StrategyInstance(strategy, { params: {}, streams, idPrefix: 'x', state: null });
  });

  /** The bar that closes at this minute, of a broker whose clock is known to be so far ahead of UTC. */
  const bar = (minute: number, offsetMs = 0): void => {
    const timeMs = startMs + (minute - 1) * minuteMs;
    const series = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs };
    handle({
      type: 'bar',
      warmingUp: false,
      serverMs: timeMs + offsetMs,
      closedMs: timeMs + offsetMs + 60_000,
      onArrival: null,
      bar: { ...series, ...prices },
    });
  };
  const tick = (minute: number): void =>
    handle({
      type: 'tick',
      tick: { stream: 'main', symbol: 'EURUSD', timeMs: startMs + minute * minuteMs, bid: 1, ask: 1 },
      serverMs: startMs + minute * minuteMs,
    });
  const handle = (event: StrategyEvent): void => expect(instance.handle(event, view).error).toBeNull();

  it('fires with the first event at or after each multiple of its period, once', () => {
    for (const minute of [1, 4, 5, 6, 9]) bar(minute);
    expect(fired).toEqual([5]);
    tick(9.9);
    tick(10.2);
    tick(10.4);
    expect(fired).toEqual([5, 10.2]);
  });

  it('fires once for multiples without an event', () => {
    for (const minute of [1, 31, 32]) bar(minute);
    expect(fired).toEqual([31]);
  });

  it('does not fire again for bars that come late', () => {
    bar(1);
    tick(16);
    for (const minute of [2, 5, 10, 15, 16]) bar(minute);
    expect(fired).toEqual([16]);
  });

  it('continues when the broker’s offset becomes known and the times go back by it', () => {
    const offset = 120;
    for (const minute of [1, 5, 6]) bar(minute + offset);
    for (const minute of [7, 9, 10, 11]) bar(minute, offset * minuteMs);
    expect(fired).toEqual([5 + offset, 10]);
  });

  it('stays in step when the broker’s clock changes with the season', () => {
    for (const minute of [1, 4]) bar(minute, 120 * minuteMs);
    for (const minute of [5, 6]) bar(minute, 180 * minuteMs);
    expect(fired).toEqual([5]);
  });
});

it('has every bar in its history, also one whose timer threw', () => {
  const seen: number[] = [];
  const strategy = defineStrategy({
    version: 1,
    params: Params,
    timerSeconds: 60,
    create: () => ({
      onTimer: ({ timeMs }) => {
        if (timeMs === startMs + 2 * minuteMs) throw new Error('not this one');
      },
      onBar: (_bar, trade) => void seen.push(trade.bars('main', 10).length),
    }),
  });
  const instance = new StrategyInstance(strategy, { params: {}, streams, idPrefix: 'x', state: null });
  const errors = [1, 2, 3].map((minute) => {
    const timeMs = startMs + (minute - 1) * minuteMs;
    const bar = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs, ...prices };
    return instance.handle(
      { type: 'bar', warmingUp: false, serverMs: timeMs, closedMs: timeMs + 60_000, onArrival: null, bar },
      view,
    ).error;
  });
  expect(errors).toEqual([null, expect.stringContaining('not this one'), null]);
  expect(seen).toEqual([1, 3]);
});
