import { defineStrategy, type WarmupBars } from '@libs/strategy';
import { StrategyInstance } from './strategy-instance';
import { pastText } from './warmup';

const streams = [
  { alias: 'slow', broker: 'demo', symbol: 'EURUSD', timeframe: 'H1' },
  { alias: 'fast', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' },
];
const view = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const startMs = Date.UTC(2024, 0, 1, 12);

const load = (
  warmupBars: WarmupBars,
  asks = (_count: number): number => 1,
  historyBars: WarmupBars = 0,
): StrategyInstance =>
  new StrategyInstance(
    defineStrategy({
      version: 1,
      params: class {},
      warmupBars: () => warmupBars,
      historyBars: () => historyBars,
      create: () => ({
        onBar: (bar, trade) => trade.log(String(trade.bars(bar.stream, asks(0)).length)),
      }),
    }),
    { params: {}, streams, idPrefix: 'x', state: null },
  );

describe('the warm-up of a strategy', () => {
  it.each<[string, WarmupBars, Record<string, number>]>([
    ['a number for all streams', 20, { slow: 20, fast: 20 }],
    ['a number for each', { fast: 200, slow: 50 }, { slow: 50, fast: 200 }],
    ['a number for one, and none for the others', { slow: 3.2 }, { slow: 4, fast: 0 }],
    ['none', 0, { slow: 0, fast: 0 }],
  ])('is %s', (_, wanted, bars) => {
    expect(load(wanted).loaded.warmupBars).toEqual(bars);
  });

  it.each<[WarmupBars, string]>([
    [Number.NaN, 'warmupBars must be a number of bars, or an object of them by stream; it is NaN'],
    [{ fast: -1 }, 'warmupBars must be a number of bars, or an object of them by stream; it is -1 for fast'],
    [{ fats: 10 }, 'warmupBars names the stream fats; the configuration has slow, fast'],
  ])('is refused as %j', (wanted, problem) => {
    expect(() => load(wanted)).toThrow(problem);
  });

  it('reads as one number where all are the same, and by stream where they differ', () => {
    const text = (warmup: WarmupBars, history?: WarmupBars): string =>
      pastText(load(warmup, undefined, history).loaded);
    expect(text(20)).toBe('20 bars to warm up');
    expect(text(1)).toBe('1 bar to warm up');
    expect(text({ slow: 50, fast: 200 })).toBe('slow 50, fast 200 bars to warm up');
    expect(text(20, 3_000)).toBe('3000 past bars, 20 of them to warm up');
    expect(text(20, 10)).toBe('20 bars to warm up');
  });
});

describe('the history of bars of a strategy', () => {
  const told = (instance: StrategyInstance, alias: string, bars: number, past = 0) => {
    const series = { stream: alias, symbol: 'EURUSD', timeframe: 'M1' };
    const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };
    return Array.from({ length: bars }, (_, minute) => {
      const timeMs = startMs + minute * 60_000;
      const times = { serverMs: timeMs, closedMs: timeMs + 60_000, onArrival: null };
      const bar = { ...series, timeMs, ...prices };
      return instance.handle({ type: 'bar', warmingUp: minute < past, ...times, bar }, view);
    });
  };

  it('is as long as the strategy declares, and its handlers are not called for what is not warm-up', () => {
    const instance = load({ fast: 2 }, () => 3_000, { fast: 3_000, slow: 5 });
    expect(instance.loaded.pastBars).toEqual({ slow: 5, fast: 3_000 });
    expect(instance.loaded.warmupBars).toEqual({ slow: 0, fast: 2 });
    const lengths = told(instance, 'fast', 3_001, 3_000).flatMap(({ logs }) => logs.map(({ message }) => message));
    expect(lengths).toEqual(['2999', '3000', '3000']);
    expect(
      told(
        load(0, () => 3_001, { fast: 3_000 }),
        'fast',
        1,
      ).at(-1)?.error,
    ).toContain('declare historyBars: 3001');
    expect(() => load(0, undefined, { fats: 1 })).toThrow('historyBars names the stream fats');
  });

  it('is the warm-up of the stream, and at least 1000 bars', () => {
    const instance = load({ fast: 1_500 }, () => 1_500);
    expect(
      told(instance, 'fast', 1_600)
        .at(-1)
        ?.logs.map(({ message }) => message),
    ).toEqual(['1500']);
    expect(
      told(
        load({ fast: 1_500 }, () => 1_000),
        'slow',
        1_100,
      ).at(-1)?.logs,
    ).toEqual([{ message: '1000', details: null }]);
  });

  it.each([
    [
      'more bars than are kept',
      1_001,
      'bars: 1001 bars of slow are requested, but only 1000 are kept; declare historyBars: 1001',
    ],
    ['no number', Number.NaN, 'bars: the count must be a number of bars, not NaN'],
    ['less than none', -1, 'bars: the count must be a number of bars, not -1'],
  ])('is refused for %s, whatever has come so far', (_, count, problem) => {
    expect(
      told(
        load({ fast: 1_500 }, () => count),
        'slow',
        3,
      ).at(-1)?.error,
    ).toContain(problem);
  });
});
