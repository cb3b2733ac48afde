import type { Bar } from '@libs/strategy';
import { closeOf, eventServerMs, eventTimeMs, timeframeMs, withBrokerTime } from './event-time';
import type { StrategyEvent } from './strategy-event';

const bar = (timeframe: string): StrategyEvent =>
  ({ type: 'bar', bar: { timeMs: 1_000, timeframe } as Bar, serverMs: 7_201_000 }) as StrategyEvent;
const tick = { type: 'tick', tick: { timeMs: 5 }, serverMs: 7_205 } as StrategyEvent;
const fill = { type: 'fill', fill: { timeMs: 9 } } as StrategyEvent;
const withoutTime = [{ type: 'reject' }, { type: 'gone' }] as StrategyEvent[];

describe('the time of an event', () => {
  it('is the close of a bar, the time of a tick or a fill, and unknown for any other', () => {
    expect([bar('M1'), bar('MN1'), tick, fill, ...withoutTime].map(eventTimeMs)).toEqual([
      ...[61_000, 1_000 + 28 * 86_400_000, 5, 9, null, null],
    ]);
  });

  it('is known on the clock of the broker for a bar and a tick', () => {
    expect([bar('M1'), tick, fill, ...withoutTime].map(eventServerMs)).toEqual([7_261_000, 7_205, null, null, null]);
  });

  it('heads a line on the clock of the broker', () => {
    const line = withBrokerTime(Date.UTC(2024, 0, 3, 0, 5), 'text');
    expect([line, withBrokerTime(null, 'text')]).toEqual(['[broker 2024-01-03 00:05:00] text', 'text']);
  });
});

describe('a timeframe', () => {
  it.each([
    ['M1', 60_000],
    ['M30', 1_800_000],
    ['H4', 14_400_000],
    ['D1', 86_400_000],
    ['W1', 604_800_000],
    ['MN1', null],
    ['XM1', null],
    ['M1X', null],
    ['M0', null],
    ['M 5', null],
    ['M1e3', null],
  ])('%s lasts %s ms', (timeframe, ms) => {
    expect(timeframeMs(timeframe)).toBe(ms);
  });

  it('ends a bar after its length, and a bar of a month with the month', () => {
    expect(closeOf(1_000, 'M5')).toBe(301_000);
    expect(closeOf(Date.UTC(2024, 11, 1), 'MN1')).toBe(Date.UTC(2025, 0, 1));
  });
});
