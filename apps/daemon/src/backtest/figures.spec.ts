import type { Fill } from '@libs/strategy';
import * as fc from 'fast-check';
import type { BacktestResult } from './backtest-result';
import { drawdowns } from './drawdown';
import { sum } from './exact-sum';
import { curveOf, figuresOf, figuresOfTally } from './figures';
import { gapsOf } from './gaps';
import { monthsOf } from './months';
import { reportOf } from './report';
import { roundTrips } from './round-trips';
import { sharpeOf } from './sharpe';
import { reportCsv } from './trades-csv';

const dayMs = 86_400_000;
const startMs = Date.UTC(2024, 0, 30);
let deal = 0;

function fill(position: number, hours: number, changes: Partial<Fill>): Fill {
  return {
    ...{ intentId: null, deal: ++deal, position, stream: 'main', symbol: 'EURUSD', side: 'buy', entry: 'in' },
    ...{ reason: 'strategy', tag: null, volume: 0.2, price: 1.1, realized: 0, timeMs: startMs + hours * 3_600_000 },
    ...changes,
  };
}

/** A win of 30 in two parts, a loss of 10, a loss of 5 that was short, and one that is still open. */
const fills = [
  fill(1, 0, {}),
  fill(1, 1, { entry: 'out', side: 'sell', volume: 0.1, price: 1.2, realized: 10 }),
  fill(1, 2, { entry: 'out', side: 'sell', volume: 0.1, price: 1.4, realized: 20 }),
  fill(2, 4, { realized: -1 }),
  fill(2, 6, { entry: 'out', side: 'sell', price: 1, realized: -9, reason: 'sl' }),
  fill(3, 5, { side: 'sell' }),
  fill(3, 8, { entry: 'out', side: 'buy', realized: -5, reason: 'tp' }),
  fill(4, 36, {}),
];

const result: BacktestResult = {
  ...{
    version: 1,
    params: {},
    pastBars: { main: 0 },
    warmupBars: { main: 0 },
    limitFill: null,
    assumptions: { spreadPoints: null, slippagePoints: 0, latencyMs: 0, symbols: {} },
    faults: {},
    startMs,
    endMs: startMs + 3 * dayMs,
    fills,
    rejects: [],
    logs: [],
  },
  ...{ prices: [], opens: [], bars: 3, realized: 15, unrealized: 2.5, balance: 1_015, currency: 'USD', leverage: 100 },
  ...{ haltReason: null, state: null, positions: [], orders: [] },
  spreads: new Map([
    [1, 0.7],
    [2, 0.35],
  ]),
  costs: new Map([
    [1, { commission: -0.5, swap: 0, fee: 0 }],
    [2, { commission: -1, swap: -0.25, fee: -0.1 }],
  ]),
  equity: [
    [startMs + dayMs, 1_030],
    [startMs + 2 * dayMs, 1_005],
  ],
};

const spec = {
  module: 'mine.ts',
  capital: 1_000,
  streams: [{ alias: 'main', symbol: 'EURUSD', timeframe: 'H1', broker: 'backtest' }],
};

it('the figures of a backtest are those of any number of trades', () => {
  const columnOf = <Value>(valueOf: (index: number) => Value) =>
    Array.from({ length: 400_000 }, (_, at) => valueOf(at));
  const trades = {
    ...{ sides: columnOf(() => 'buy' as const), openedMs: columnOf((at) => startMs + at) },
    ...{ closedMs: columnOf((at) => startMs + at + 1), realized: columnOf((at) => (at % 2 === 0 ? 2 : -3)) },
  };
  const sums = { realized: -200_000, unrealized: 0, open: 0, openSinceMs: [], commission: 0, swap: 0, spreads: 0 };
  const tally = { startMs, endMs: startMs + dayMs, rejects: 0, trades, ...sums };
  expect(figuresOfTally(tally, 10_000, curveOf(result, 10_000))).toMatchObject({
    ...{ trades: 400_000, largestWin: 2, largestLoss: -3 },
  });
});

describe('the figures of a backtest', () => {
  it('count a position from its opening to its closing as one trade, whatever its parts', () => {
    const [first, second] = roundTrips(fills, result.costs);
    expect(first).toMatchObject({
      position: 1,
      volume: 0.2,
      entryPrice: 1.1,
      exitPrice: 1.3,
      realized: 30,
      commission: -0.5,
    });
    expect(second).toMatchObject({ position: 2, realized: -10, commission: -1.1, swap: -0.25, exitReason: 'sl' });
  });

  it('equal a calculation by hand', () => {
    expect(figuresOf(result, 1_000)).toEqual({
      ...{ startEquity: 1_000, endEquity: 1_017.5, netProfit: 15, openProfit: 2.5, returnPct: 1.75 },
      ...{ trades: 3, open: 1, longTrades: 2, shortTrades: 1 },
      ...{ winRatePct: 33.3333, longWinRatePct: 50, shortWinRatePct: 0 },
      ...{ grossProfit: 30, grossLoss: -15, profitFactor: 2, expectancy: 5 },
      ...{ averageWin: 30, averageLoss: -7.5, largestWin: 30, largestLoss: -10 },
      ...{ longestWinningRun: 1, longestLosingRun: 2, averageHoldMinutes: 140 },
      // Hours 0 to 2, 4 to 8, and 36 to the end at 72.
      exposurePct: 58.3333,
      ...{ maxDrawdown: 25, maxDrawdownPct: 2.4272, longestDrawdownDays: 2, sharpe: null },
      ...{ cagrPct: null, volatilityPct: null, sortino: null, calmar: null, valueAtRiskPct: null, tradingDays: 4 },
      // Results of 30, -10 and -5: mean 5, deviation √475.
      sqn: 0.3974,
      ...{ commission: -1.6, swap: -0.25, spreadPaid: -1.05, rejects: 0 },
    });
  });

  it('are null without a trade', () => {
    const idle = { ...result, fills: [], realized: 0, unrealized: 0, equity: [], costs: new Map(), spreads: new Map() };
    expect(figuresOf(idle, 1_000)).toMatchObject({
      ...{ trades: 0, winRatePct: null, profitFactor: null, expectancy: null, exposurePct: 0, maxDrawdown: 0 },
      ...{ returnPct: 0, endEquity: 1_000 },
    });
  });

  it('are in the report, with drawdowns, groups, excursions and buy and hold', () => {
    const prices = [0, 1, 2, 3].map((hour) => [startMs + hour * 3_600_000, 1.1, 1.5, 1, 1.2] as const);
    const report = reportOf({ ...result, prices }, spec, []);
    expect(report.figures).toEqual(figuresOf(result, 1_000));
    expect(report.drawdowns).toMatchObject([{ depth: 25, recoveredMs: null }]);
    expect(report.breakdowns.side).toMatchObject([
      { name: 'buy', profit: 20 },
      { name: 'sell', profit: -5 },
    ]);
    expect(report.benchmark).toMatchObject({ symbol: 'EURUSD', returnPct: 9.0909 });
    expect(report.trades[0]?.excursion).toEqual({ mae: 0.1, mfe: 0.4 });
    // All that the broker charged: commission, fee and swap.
    const [names = '', , second = ''] = reportCsv(report.trades).trim().split('\n');
    expect(second.split(',')[names.split(',').indexOf('costs')]).toBe('-1.35');
  });

  it('are in the report without a point for each bar and minute, where the run has them as rows', () => {
    const points = { prices: [[startMs, 1.1, 1.5, 1, 1.2] as const], equity: result.equity };
    const rows = { prices: Float64Array.from(points.prices.flat()), equity: Float64Array.from(points.equity.flat()) };
    const made: string[] = [];
    const packed = {
      ...result,
      rows,
      get prices() {
        made.push('prices');
        return points.prices;
      },
      get equity() {
        made.push('equity');
        return points.equity;
      },
    };
    expect(reportOf(packed, spec, [])).toEqual(reportOf({ ...result, ...points }, spec, []));
    expect(made).toEqual([]);
  });

  it('count the time with positions once, also within a longer one', () => {
    const within = [
      ...[fill(1, 0, {}), fill(2, 1, {}), fill(2, 2, { entry: 'out', side: 'sell', realized: 1 })],
      ...[fill(3, 3, {}), fill(3, 4, { entry: 'out', side: 'sell', realized: 1 })],
      fill(1, 36, { entry: 'out', side: 'sell', realized: 1 }),
    ];
    expect(figuresOf({ ...result, fills: within, costs: new Map() }, 1_000).exposurePct).toBe(50);
  });

  it('have a trade in the month in which it was closed', () => {
    const over = [fill(1, 0, {}), fill(1, 60, { entry: 'out', side: 'sell', realized: 5 })];
    const months = monthsOf(curveOf(result, 1_000), roundTrips(over, new Map()), 1_000);
    expect(months.map(({ month, trades }) => [month, trades])).toEqual([
      ['2024-01', 0],
      ['2024-02', 1],
    ]);
  });

  it('by months begin where the month before ended, and add up to the whole', () => {
    const months = monthsOf(curveOf(result, 1_000), roundTrips(fills, result.costs), 1_000);
    expect(months.map(({ month, profit, trades, wins }) => [month, profit, trades, wins])).toEqual([
      ['2024-01', 30, 3, 1],
      ['2024-02', -12.5, 0, 0],
    ]);
    expect(sum(months.map(({ profit }) => profit))).toBe(17.5);
  });
});

describe('a drawdown', () => {
  it('has the third digit of a currency that has one', () => {
    const fall = drawdowns([
      [0, 100.003],
      [1, 99.001],
    ]);
    expect(fall.maxDrawdown).toBe(1.002);
  });

  it('begins when the equity is last at its high', () => {
    const curve = [100, 90, 100, 100, 95, 101].map((value, index) => [index * dayMs, value] as const);
    expect(drawdowns(curve)).toEqual({ maxDrawdown: 10, maxDrawdownPct: 10, longestDrawdownDays: 1 });
  });

  it('is never deeper than the whole range, and 0 while the equity only rises', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), (values) => {
        const curve = values.map((value, index) => [index * dayMs, value] as const);
        const { maxDrawdown, maxDrawdownPct } = drawdowns(curve);
        expect(maxDrawdown).toBeLessThanOrEqual(Math.max(...values) - Math.min(...values));
        expect(maxDrawdownPct).toBeLessThan(100);
        const rising = [...values].sort((a, b) => a - b).map((value, index) => [index, value] as const);
        expect(drawdowns(rising).maxDrawdown).toBe(0);
      }),
    );
  });
});

describe('the Sharpe ratio', () => {
  const monday = Date.UTC(2024, 0, 8);
  const onDays = (days: readonly number[], equities: readonly number[]) =>
    equities.map((equity, index) => [monday + (days[index] ?? 0) * dayMs, equity] as const);
  const weekdays = Array.from({ length: 15 }, (_, day) => day + 2 * Math.floor(day / 5));
  const curve = (...equities: number[]) => onDays(weekdays, equities);

  it('is mean over deviation of daily changes times the root of 252', () => {
    // Changes of 0, +1 %, 0, +1 %, 0, +1 %: mean 0.005, deviation 0.0054772.
    expect(sharpeOf(curve(100, 101, 101, 102.01, 102.01, 103.0301))).toBeCloseTo(
      (0.005 / 0.005477226) * Math.sqrt(252),
      2,
    );
  });

  it('counts the change over a weekend as part of the following Monday', () => {
    const closes = [100, 101, 100.5, 102, 101, 103, 102.5, 104];
    const plain = curve(...closes);
    const [fridays, mondays] = [plain.slice(0, 5), plain.slice(5)];
    // Saturday, Sunday evening, and the Monday that begins where they left.
    const weekend = onDays([5, 6], [101.5, 102]);
    expect(sharpeOf(plain)).not.toBeNull();
    expect(sharpeOf([...fridays, ...weekend, ...mondays])).toBe(sharpeOf(plain));
    expect(sharpeOf([...onDays([-1], [100]), ...plain])).toBe(sharpeOf(plain));
  });

  it('is null for less than five days, or without a change', () => {
    expect(sharpeOf(curve(100, 101, 102, 103))).toBeNull();
    expect(sharpeOf(curve(100, 100, 100, 100, 100, 100))).toBeNull();
  });
});

describe('gaps of recorded prices', () => {
  const bars = (...minutes: number[]): number[] => minutes.map((at) => startMs + at * 60_000);

  it('are the missing bars', () => {
    expect(gapsOf(bars(0, 1, 4, 5, 7), 'M1')).toEqual({
      ...{ missingBars: 3, longestGapMinutes: 2, longestGapAfterMs: startMs + 60_000 },
    });
    expect(gapsOf(bars(0, 1, 2), 'M1')).toMatchObject({ missingBars: 0, longestGapAfterMs: null });
  });

  it('exclude the daily break of a market, but no other gap', () => {
    const day = (number: number): number[] =>
      Array.from({ length: 24 * 60 }, (_, minute) => number * 1_440 + minute).filter(
        (at) => at % 1_440 < 1_320 || at % 1_440 >= 1_380,
      );
    const week = bars(...[0, 1, 2, 3].flatMap(day));
    expect(gapsOf(week, 'M1')).toEqual({ missingBars: 0, longestGapMinutes: 0, longestGapAfterMs: null });
    const outage = week.filter((timeMs) => timeMs < startMs + 120 * 60_000 || timeMs >= startMs + 180 * 60_000);
    expect(gapsOf(outage, 'M1').missingBars).toBe(60);
  });

  it('exclude weekends, and do not apply to daily bars', () => {
    const friday = Date.UTC(2024, 1, 2, 22) - startMs;
    expect(gapsOf(bars(friday / 60_000, friday / 60_000 + 48 * 60), 'M1').missingBars).toBe(0);
    expect(gapsOf(bars(0, 1_440 * 5), 'D1').missingBars).toBeNull();
  });
});
