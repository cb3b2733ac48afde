import type { PositionRecord } from '@libs/gateway-client';
import { liveEquity, type PricedSymbol } from './live-equity';
import type { LiveFill, LivePosition } from './live-position';

const minute = (value: number) => Date.UTC(2026, 0, 5, 10, value);
const span = { fromMs: minute(0), toMs: minute(10), isUntilNow: true };
const fill = (at: number, entry: LiveFill['entry'], price: number, more: Partial<LiveFill> = {}): LiveFill => ({
  ...{
    intentId: null,
    tag: null,
    deal: at,
    position: 7,
    stream: 'main',
    symbol: 'EURUSD',
    side: 'buy',
    entry,
    reason: 'strategy',
  },
  ...{ volume: 0.1, price, realized: 0, timeMs: minute(at), commission: 0, swap: 0, fee: 0, ...more },
});
const position = (fills: readonly LiveFill[], more: Partial<LivePosition> = {}): LivePosition => ({
  ...{ strategy: 'ema', knownBy: 'records', stream: 'main', intentId: null, gateway: 'demo', ticket: 7 },
  ...{ symbol: 'EURUSD', fills, row: null, ...more },
});
const priced = (closes: readonly number[], more: Partial<PricedSymbol> = {}): PricedSymbol => ({
  ...{ gateway: 'demo', symbol: 'EURUSD', barMs: 60_000, tickSize: 0.00001, tickValue: 1 },
  bars: closes.map((close, index) => {
    return { openMs: minute(index), open: close, high: close, low: close, close, spread: 0.0002 };
  }),
  ...more,
});
const points = (equity: readonly (readonly [number, number])[]) =>
  equity.map(([timeMs, value]) => [(timeMs - minute(0)) / 60_000, value]);

describe('the equity of a live strategy', () => {
  it('has the results of deals from when they were made, and the closes of bars between them', () => {
    const fills = [
      fill(1, 'in', 1.1, { realized: -0.35 }),
      fill(3, 'out', 1.102, { side: 'sell', realized: 19.65, commission: -0.35 }),
    ];
    const of = liveEquity([position(fills)], [priced([1.1, 1.101, 1.103, 1.099])], span, 1_000);
    expect(points(of.equity)).toEqual([
      // At the close of the minute in which it was bought the price was still the one of the entry.
      [1, 999.65],
      [2, 1009.65],
      [3, 1019.3],
      [4, 1019.3],
    ]);
    expect([of.realized, of.unrealized]).toEqual([19.3, 0]);
  });

  it('values a sold position at the ask', () => {
    const of = liveEquity([position([fill(0, 'in', 1.1, { side: 'sell' })])], [priced([1.0998])], span, 1_000);
    expect(points(of.equity)).toEqual([[1, 1_000]]);
    const lower = liveEquity([position([fill(0, 'in', 1.1, { side: 'sell' })])], [priced([1.0988])], span, 1_000);
    expect(points(lower.equity)).toEqual([[1, 1_010]]);
  });

  it('takes the worth of a price from the deals of a position, not from the rate of today', () => {
    const fills = [fill(0, 'in', 150), fill(2, 'out', 151, { side: 'sell', realized: 66.3, commission: -0.2 })];
    const yen = priced([150.5, 151], { tickSize: 0.001, tickValue: 100 });
    // 66.5 for a change by 1: a change by 0.5 was worth 33.25.
    expect(points(liveEquity([position(fills)], [yen], span, 1_000).equity)).toEqual([
      [1, 1033.25],
      [2, 1066.3],
    ]);
  });

  it('ends with the floating result that the terminal gives, or with that of the last bar of an earlier period', () => {
    const row = { profit: 4.5, swap: -0.25 } as PositionRecord;
    const fills = [fill(0, 'in', 1.1)];
    expect(liveEquity([position(fills, { row })], [priced([1.2])], span, 1_000).unrealized).toBe(4.25);
    expect(liveEquity([position(fills)], [priced([1.101])], span, 1_000).unrealized).toBe(10);
  });

  it('has no price of another symbol or gateway', () => {
    const other = [priced([2], { symbol: 'GBPUSD' }), priced([2], { gateway: 'live' })];
    expect(points(liveEquity([position([fill(0, 'in', 1.1)])], other, span, 1_000).equity)).toEqual([[1, 1_000]]);
  });
});
