import * as fc from 'fast-check';
import type { BarPoint } from './backtest-result';
import { buyAndHold, buyAndHoldEqually, heldCurve, heldText } from './benchmark';
import { breakdownsOf } from './breakdowns';
import { breakdownParts } from './page/report-parts';
import { withExcursions } from './excursions';
import type { RoundTrip } from './round-trip';

const startMs = Date.UTC(2024, 0, 8, 10);
const minute = (index: number): number => startMs + index * 60_000;
const trip = (changes: Partial<RoundTrip>): RoundTrip => ({
  ...{ position: 1, side: 'buy', symbol: 'EURUSD', tag: null, volume: 0.1, openedMs: minute(1), closedMs: minute(3) },
  ...{ entryPrice: 1.1, exitPrice: 1.102, exitReason: 'strategy', realized: 20, commission: 0, swap: 0 },
  ...changes,
});

describe('the excursions of a trade', () => {
  const prices: readonly BarPoint[] = [
    [minute(0), 1.1, 1.2, 1, 1.1],
    [minute(1), 1.1, 1.105, 1.099, 1.104],
    [minute(2), 1.104, 1.107, 1.103, 1.104],
    [minute(3), 1.104, 1.3, 0.9, 1.1],
  ];
  const series = { symbol: 'EURUSD', bars: prices, barMs: 60_000 };
  const of = (changes: Partial<RoundTrip>) => withExcursions([trip(changes)], [series])[0]?.excursion;

  it('are of the bars within it', () => {
    expect(of({})).toEqual({ mae: 0.001, mfe: 0.007 });
    expect(of({ side: 'sell' })).toEqual({ mae: 0.007, mfe: 0.001 });
  });

  it('are those of entry and exit if no bar lies within it', () => {
    expect(of({ openedMs: minute(1) + 1, closedMs: minute(2) - 1 })).toEqual({ mae: 0, mfe: 0.002 });
    expect(of({ openedMs: minute(9), closedMs: minute(10), exitPrice: 1.09 })).toEqual({ mae: 0.01, mfe: 0 });
  });

  it('are not known without bars of its symbol', () => {
    expect(of({ symbol: 'GBPUSD' })).toBeNull();
    expect(withExcursions([trip({})], [{ ...series, bars: [] }])[0]?.excursion).toEqual({ mae: 0, mfe: 0.002 });
  });
});

describe('trades by what they have in common', () => {
  it('are grouped by hour and weekday of the entry, by symbol, side and tag', () => {
    const trips = [
      trip({}),
      trip({ side: 'sell', tag: 'late', realized: -5.1, openedMs: minute(60) }),
      trip({ symbol: 'AUDUSD', realized: 0.2, openedMs: minute(-24 * 60) }),
    ];
    const day = (name: string, trades: number, wins: number, profit: number) => ({ name, trades, wins, profit });
    expect(breakdownsOf(trips)).toEqual({
      hour: [day('10', 2, 2, 20.2), day('11', 1, 0, -5.1)],
      weekday: [day('Monday', 2, 1, 14.9), day('Sunday', 1, 1, 0.2)],
      symbol: [day('AUDUSD', 1, 1, 0.2), day('EURUSD', 2, 1, 14.9)],
      side: [day('buy', 2, 2, 20.2), day('sell', 1, 0, -5.1)],
      tag: [day('(no tag)', 2, 2, 20.2), day('late', 1, 0, -5.1)],
    });
  });

  it('are shown by tag only where a trade has one', () => {
    const shown = (...trips: readonly RoundTrip[]) =>
      breakdownParts({ breakdowns: breakdownsOf(trips), account: { currency: 'USD', leverage: 100, capital: 10_000 } });
    expect(shown(trip({}), trip({ tag: 'late' }))).toMatch(/By tag.*\(no tag\).*late/s);
    expect(shown(trip({}))).not.toContain('By tag');
  });

  it('add up to all trades in each grouping', () => {
    const some = fc.record({
      openedMs: fc.integer({ min: startMs, max: startMs + 3e9 }),
      symbol: fc.constantFrom('EURUSD', 'USDJPY'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      tag: fc.constantFrom('a', 'b', null),
      realized: fc.integer({ min: -9_999, max: 9_999 }).map((cents) => cents / 100),
    });
    fc.assert(
      fc.property(fc.array(some), (changes) => {
        const trips = changes.map(trip);
        const total = trips.reduce((cents, { realized }) => cents + Math.round(realized * 100), 0);
        for (const groups of Object.values({ ...breakdownsOf(trips) })) {
          expect(groups.reduce((count: number, { trades }) => count + trades, 0)).toBe(trips.length);
          expect(groups.reduce((cents: number, { profit }) => cents + Math.round(profit * 100), 0)).toBe(total);
        }
      }),
    );
  });
});

describe('buy and hold', () => {
  const prices: readonly BarPoint[] = [
    [minute(0), 2, 2.2, 1.9, 2.2],
    [minute(1), 2.2, 2.2, 1.1, 1.1],
    [minute(2), 1.1, 3, 1, 3],
  ];

  it('is the capital in the symbol from the first open to the last close', () => {
    expect(buyAndHold(prices, 'EURUSD')).toMatchObject({
      symbol: 'EURUSD',
      returnPct: 50,
      maxDrawdownPct: 50,
      cagrPct: null,
    });
    expect(Array.from(heldCurve(prices, 1_000).values, Math.round)).toEqual([1_000, 1_100, 550, 1_500]);
  });

  it('of several symbols is an equal part of the capital in each, from its own first open on', () => {
    const pounds: readonly BarPoint[] = [
      [minute(1), 4, 4, 3, 3],
      [minute(3), 3, 5, 3, 5],
    ];
    const held = buyAndHoldEqually([
      { symbol: 'EURUSD', bars: prices },
      { symbol: 'GBPUSD', bars: pounds },
      { symbol: 'USDJPY', bars: [] },
    ]);
    // Halves: 0.5 + 0.5, 0.55 + 0.5, 0.275 + 0.375, 0.75 + 0.375, 0.75 + 0.625.
    expect(held).toMatchObject({ symbols: { EURUSD: 50, GBPUSD: 25 }, returnPct: 37.5, maxDrawdownPct: 38.0952 });
    expect(held && heldText(held)).toBe('EURUSD, GBPUSD in equal parts');
  });

  it('of one symbol is the same in a portfolio', () => {
    const { symbol: _, ...alone } = buyAndHold(prices, 'EURUSD') ?? { symbol: '' };
    const { symbols, ...held } = buyAndHoldEqually([{ symbol: 'EURUSD', bars: prices }]) ?? { symbols: {} };
    expect(held).toEqual(alone);
    expect(symbols).toEqual({ EURUSD: 50 });
  });

  it('is nothing without bars', () => {
    expect(buyAndHold([], 'EURUSD')).toBeNull();
    expect(buyAndHoldEqually([{ symbol: 'EURUSD', bars: [] }])).toBeNull();
    expect(buyAndHoldEqually([])).toBeNull();
  });
});
