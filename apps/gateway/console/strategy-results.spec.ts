import type { StrategyResults } from '@libs/gateway-client';
import {
  backtestOf,
  closedTrades,
  comparedRows,
  liveResultOf,
  standingOf,
  type ShownBacktest,
} from './strategy-results';

const told = { daemon: 'reachable', error: null } as const;
const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const reading = (minute: number, realized: number, unrealized: number) => ({ at: at(minute), realized, unrealized });
const equity = {
  everyMinutes: 1,
  maxDrawdown: 7.5,
  readings: [reading(1, 0, 0), reading(2, 5, -2.5), reading(9, 5, 1)],
};
const setting = (name: string, rest: object) => ({ name, live: 1, backtest: 1, isEqual: true, ...rest });
const report = {
  range: { from: at(0), to: at(1_440) },
  figures: {
    startEquity: 1_000,
    endEquity: 1_012.5,
    returnPct: 1.25,
    maxDrawdown: 4,
    trades: 6_282,
    winRatePct: 66.666,
  },
  broker: 'spread as recorded; slippage 2 points',
  equity: [
    [0, 1_000],
    [60_000, 1_012.5],
  ],
};
const backtest = {
  ...{
    file: '/x/report.json',
    problem: null,
    writtenAt: at(5),
    report,
    isSame: true,
    settings: [setting('version', {})],
  },
};
const results = (changes: Partial<StrategyResults>): StrategyResults => ({ ...told, equity, backtest, ...changes });
const backtestWith = (changes: object): ShownBacktest => {
  const found = backtestOf(results({ backtest: { ...backtest, ...changes } }));
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('what a strategy earned', () => {
  it('is its realized and floating result over its capital, with a gap where it was not known', () => {
    const live = liveResultOf(results({}), 1_000);
    expect(live).toMatchObject({ since: at(1), until: at(9), earned: 6, maxDrawdown: 7.5 });
    expect(live?.balance.map((point) => point[1])).toEqual([1_000, 1_005, 1_005]);
    expect(live?.equity.map((point) => point[1])).toEqual([1_000, 1_002.5, null, 1_006]);
  });

  it('is not known without a reading, a capital or an answer', () => {
    expect(liveResultOf(results({ equity: null }), 1_000)).toBeNull();
    expect(liveResultOf(results({ equity: { ...equity, readings: [] } }), 1_000)).toBeNull();
    expect(liveResultOf(results({}), null)).toBeNull();
  });
});

describe('the backtest beside it', () => {
  it('is none, or cannot be used, with the reason', () => {
    const reason = (changes: object) => backtestOf(results({ backtest: { ...backtest, report: null, ...changes } }));
    expect(reason({ file: null })).toMatch(/^None: the configuration names no report/);
    expect(reason({})).toMatch(/^None: there is no file \/x\/report\.json yet/);
    expect(reason({ problem: 'it is not a file' })).toBe('The report /x/report.json cannot be used: it is not a file.');
    expect(backtestOf(results({ backtest: null }))).toBe('This daemon reports no backtests.');
  });

  it('says whether it ran under the settings that run, and names those that differ', () => {
    expect(standingOf(backtestWith({}))).toBe('It ran with the settings of the strategy that runs.');
    const settings = [
      setting('version', {}),
      setting('param fast', { live: 5, backtest: 8, isEqual: false }),
      { name: 'limit maxVolume', live: null, isEqual: null },
    ];
    const other = backtestWith({ settings, isSame: false });
    expect(other.differing).toEqual([
      ['param fast', '5', '8'],
      ['limit maxVolume', 'none', 'not known'],
    ]);
    expect(standingOf(other)).toMatch(/^It ran with other settings \(param fast, limit maxVolume\)/);
    const unsure = backtestWith({ settings: settings.slice(2), isSame: null });
    expect(standingOf(unsure)).toMatch(/is not known \(limit maxVolume\)/);
    // Without the field, equality is not known.
    expect(backtestWith({ isSame: undefined }).isSame).toBeNull();
  });

  it('has the same figures side by side, and none for what is not known', () => {
    const live = liveResultOf(results({}), 1_000);
    const trades = { count: 2, winRatePct: 50, profitFactor: null, average: -1.5 };
    const rows = comparedRows(live, trades, backtestWith({}), 2);
    expect(rows.map(([label, ofNow, ofPast]) => `${label}: ${ofNow}, ${ofPast}`)).toEqual([
      'From: 1970-01-01 00:01:00, 1970-01-01 00:00:00',
      'To: 1970-01-01 00:09:00, 1970-01-02 00:00:00',
      'Change of equity: 6.00, 12.50',
      'Change in % of the capital: 0.60 %, 1.25 %',
      'Max drawdown: 7.50, 4.00',
      'Closed trades: 2, 6,282',
      'Won: 50.00 %, 66.67 %',
      'Profit factor: –, –',
      'Average trade: -1.50, –',
    ]);
    const lost = liveResultOf(
      results({ equity: { ...equity, readings: [reading(1, 0, 0), reading(2, 0, -0.04)] } }),
      1_000,
    );
    expect(comparedRows(lost, null, null, 2)[3]).toEqual(['Change in % of the capital', '0.00 %', '–']);
    const unknown = comparedRows(null, null, null, 2).flatMap(([, ...values]) => values);
    expect(new Set(unknown)).toEqual(new Set(['–']));
  });
});

describe('closed trades', () => {
  const deal = (position_id: number, entry: number, volume: number, minute: number, profit = 0) => ({
    ...{ position_id, entry, volume, profit, commission: -0.5, swap: 0, fee: 0, time_utc: at(minute) },
  });

  it('are positions that were opened and closed by these deals, with their costs', () => {
    const deals = [
      ...[deal(1, 0, 0.3, 1), deal(1, 1, 0.1, 2, 4), deal(1, 1, 0.2, 3, 2)],
      ...[deal(2, 0, 0.1, 4), deal(2, 1, 0.1, 5, -2)],
      ...[deal(3, 0, 0.2, 6), deal(3, 1, 0.1, 7, 9)],
      deal(4, 1, 0.1, 8, 100),
    ];
    expect(closedTrades(deals, 0)).toEqual({ count: 2, winRatePct: 50, profitFactor: 1.5, average: 0.75 });
    expect(closedTrades(deals, 4 * 60_000)).toEqual({ count: 1, winRatePct: 0, profitFactor: 0, average: -3 });
    expect(closedTrades([], 0)).toEqual({ count: 0, winRatePct: null, profitFactor: null, average: null });
  });
});
