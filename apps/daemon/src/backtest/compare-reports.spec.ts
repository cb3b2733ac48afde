import * as fc from 'fast-check';
import { compareReports } from './compare-reports';
import type { ReportTrade } from './excursions';
import { reportOf, type BacktestReport } from './report';

/** The report of a run of a day without a trade. */
const quiet = reportOf(
  {
    ...{
      version: 1,
      params: { fast: 12, slow: 26 },
      pastBars: { main: 0 },
      warmupBars: { main: 0 },
      limitFill: null,
      faults: {},
    },
    assumptions: { spreadPoints: null, slippagePoints: 0, latencyMs: 0, symbols: {} },
    ...{ startMs: 0, endMs: 86_400_000, fills: [], spreads: new Map(), costs: new Map(), rejects: [], logs: [] },
    ...{ equity: [], prices: [], opens: [], bars: 3, realized: 0, unrealized: 0, balance: 1_000, currency: 'USD' },
    ...{ leverage: 100, haltReason: null, state: null, positions: [], orders: [] },
  },
  { module: 'ema.ts', capital: 1_000, streams: [{ alias: 'main', broker: 'b', symbol: 'EURUSD', timeframe: 'M1' }] },
  ['eurusd.csv'],
);
const trade = (changes: Partial<ReportTrade> = {}): ReportTrade => ({
  ...{
    position: 1,
    side: 'buy',
    symbol: 'EURUSD',
    tag: null,
    volume: 0.1,
    openedMs: 60_000,
    closedMs: 120_000,
    entryPrice: 1.1,
  },
  ...{ exitPrice: 1.2, exitReason: 'tp', realized: 10, commission: 0, swap: 0, excursion: null },
  ...changes,
});
const report = (trades: readonly ReportTrade[], changes: Partial<BacktestReport> = {}): BacktestReport => ({
  ...quiet,
  trades,
  ...changes,
});

describe('the comparison of two reports', () => {
  it('lists the settings that differ, and no others', () => {
    const { strategy, assumptions } = quiet;
    const second = report([], {
      strategy: { ...strategy, params: { fast: 5, slow: 26 } },
      assumptions: { ...assumptions, slippagePoints: 2 },
    });
    const first = report([], { strategy: { ...strategy, params: { fast: 12, slow: 26, stop: 3 } } });
    expect(compareReports(first, second).settings).toEqual([
      { name: 'param fast', first: '12', second: '5' },
      { name: 'param stop', first: '3', second: '–' },
      { name: 'broker slippagePoints', first: '0', second: '2' },
    ]);
  });

  it('has every figure of both', () => {
    const { figures } = quiet;
    const second = report([], { figures: { ...figures, netProfit: figures.netProfit + 5 } });
    const differing = compareReports(report([]), second).figures.filter((row) => row.first !== row.second);
    expect(differing.map(({ name }) => name)).toEqual(['net profit']);
  });

  it('compares trades by symbol, side and moment of the entry', () => {
    const changed = trade({ openedMs: 300_000, position: 3 });
    const { trades } = compareReports(
      report([trade(), trade({ side: 'sell' }), changed]),
      report([trade({ position: 9 }), trade({ symbol: 'GBPUSD' }), { ...changed, exitPrice: 1.3, realized: 20 }]),
    );
    expect(trades.same).toBe(1);
    expect(trades.changed).toMatchObject([{ first: { openedMs: 300_000 }, differs: ['exitPrice', 'realized'] }]);
    expect(trades.onlyFirst).toEqual([trade({ side: 'sell' })]);
    expect(trades.onlySecond).toEqual([trade({ symbol: 'GBPUSD' })]);
  });

  it('pairs entries that are up to a minute apart, as with another latency, each with the nearest', () => {
    const at = (openedMs: number, changes: Partial<ReportTrade> = {}) => trade({ openedMs, ...changes });
    const { trades } = compareReports(
      report([at(60_000), at(300_000), at(330_000), at(600_000), at(900_000)]),
      report([at(60_250), at(300_250), at(330_250), at(600_250, { side: 'sell' }), at(960_001)]),
    );
    expect(trades.changed.map(({ first, second, differs }) => [first.openedMs, second.openedMs, differs])).toEqual([
      [60_000, 60_250, ['openedMs']],
      [300_000, 300_250, ['openedMs']],
      [330_000, 330_250, ['openedMs']],
    ]);
    expect(trades.onlyFirst.map(({ openedMs }) => openedMs)).toEqual([600_000, 900_000]);
    expect(trades.onlySecond.map(({ openedMs }) => openedMs)).toEqual([600_250, 960_001]);
  });

  it('pairs an entry of the same moment before a nearer one of another trade', () => {
    const { trades } = compareReports(
      report([trade({ openedMs: 60_000 }), trade({ openedMs: 61_000 })]),
      report([trade({ openedMs: 61_000, volume: 0.2 }), trade({ openedMs: 61_500 })]),
    );
    expect(trades.changed.map(({ first, second }) => [first.openedMs, second.openedMs])).toEqual([
      [60_000, 61_500],
      [61_000, 61_000],
    ]);
  });

  it('accounts for every trade once, whatever the two lists are', () => {
    const some = fc.array(
      fc.record({
        openedMs: fc.integer({ min: 0, max: 3 }),
        volume: fc.constantFrom(0.1, 0.2),
        side: fc.constantFrom('buy' as const, 'sell' as const),
      }),
    );
    fc.assert(
      fc.property(some, some, (first, second) => {
        const { trades } = compareReports(report(first.map(trade)), report(second.map(trade)));
        const { same, changed, onlyFirst, onlySecond } = trades;
        expect(same + changed.length + onlyFirst.length).toBe(first.length);
        expect(same + changed.length + onlySecond.length).toBe(second.length);
        const both = onlyFirst.filter((one) =>
          onlySecond.some((other) => other.openedMs === one.openedMs && other.side === one.side),
        );
        expect(both).toEqual([]);
      }),
    );
  });
});
