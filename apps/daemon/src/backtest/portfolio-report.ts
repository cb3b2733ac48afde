import { basename } from 'node:path';
import { finestOf } from '../core/bar-sequence';
import { timeframeMs } from '../core/event-time';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import type { HaltRecord } from '../core/records';
import type { BacktestResult, BarOpens, TimedLog } from './backtest-result';
import { buyAndHoldEqually, type BasketBenchmark } from './benchmark';
import { breakdownsOf } from './breakdowns';
import { dailyChanges, fewestDays } from './daily-changes';
import { drawdownList } from './drawdown';
import type { EquityPoint } from './equity-curve';
import { sum } from './exact-sum';
import type { BarSeries, ReportTrade } from './excursions';
import { curveOf, figuresOf, type Figures } from './figures';
import { fillRuleOf } from './broker-terms';
import { gapsOf } from './gaps';
import { monthsOf } from './months';
import type { OpenPosition } from './open-positions';
import type { PortfolioResult, StrategyRun } from './portfolio-result';
import { mostDrawdowns, rejectsOf, reportOf, seriesOf, type BacktestReport, type RejectCount } from './report';
import { roundTrips } from './round-trips';

/** A halt, with its moment as ISO-8601. */
interface ReportedHalt {
  readonly at: string;
  readonly kind: HaltRecord['kind'];
  readonly reason: string;
}

/** One strategy of a portfolio. */
export interface StrategyReport extends Pick<BacktestReport, 'strategy' | 'figures' | 'rejects' | 'haltReason'> {
  /** `portfolio/alias`. */
  readonly name: string;
  /** Its part of the capital, which its figures refer to. */
  readonly capital: number;
  /** By the alias of the stream, as in the report of one strategy. */
  readonly pastBars: BacktestReport['range']['pastBars'];
  readonly warmupBars: BacktestReport['range']['warmupBars'];
  readonly bars: number;
  /** Change of its equity in percent of the capital of the portfolio: the contributions add up to the portfolio's return. */
  readonly contributionPct: number;
  readonly halts: readonly ReportedHalt[];
  /** How often a handler threw. */
  readonly errors: number;
  /** What a handler threw first, with the lines of the strategy's file. */
  readonly firstError: { readonly at: string; readonly error: string } | null;
  /** Why it never traded; null if it traded. */
  readonly failure: string | null;
}

/** A trade and the strategy that made it. */
interface PortfolioTrade extends ReportTrade {
  readonly strategy: string;
}

/** A position that was open at the end, and the strategy that has it. */
interface PortfolioOpenPosition extends OpenPosition {
  readonly strategy: string;
}

type Shared = 'account' | 'assumptions' | 'fillRule' | 'figures' | 'months' | 'drawdowns' | 'breakdowns' | 'haltReason';

/** The report of a portfolio, as JSON and as the source of the table and of the page. Its figures are those of the account. */
export interface PortfolioReport extends Pick<BacktestReport, Shared> {
  readonly portfolio: Pick<PortfolioSpec, 'name' | 'risk'>;
  readonly range: Omit<BacktestReport['range'], 'pastBars' | 'warmupBars'>;
  /** Buy and hold of equal parts of the capital in each symbol; null when no bar closed. */
  readonly benchmark: BasketBenchmark | null;
  readonly strategies: readonly StrategyReport[];
  /** Correlation of the daily changes of equity of each two strategies, by their names; null where it is not defined. */
  readonly correlations: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  readonly rejects: readonly (RejectCount & { readonly strategy: string })[];
  /** Halts of the portfolio, which halt every strategy. */
  readonly halts: readonly ReportedHalt[];
  readonly trades: readonly PortfolioTrade[];
  /** In the order of the strategies, and of each the oldest first. */
  readonly openPositions: readonly PortfolioOpenPosition[];
}

/** The long columns of a portfolio: for files, not for a terminal. */
export interface PortfolioColumns {
  readonly equity: readonly EquityPoint[];
  /** Equity of each strategy, by its name. */
  readonly strategyEquity: Readonly<Record<string, readonly EquityPoint[]>>;
  readonly fills: readonly (BacktestResult['fills'][number] & { readonly strategy: string })[];
  readonly logs: readonly (TimedLog & { readonly strategy: string })[];
}

/** The report of a portfolio. @param specs its strategies, in any order */
export function portfolioReportOf(
  result: PortfolioResult,
  portfolio: PortfolioSpec,
  specs: readonly StrategySpec[],
  files: readonly string[],
): PortfolioReport {
  const { capital } = portfolio;
  const account = accountOf(result);
  const strategies = result.strategies.flatMap((run) => {
    const spec = specs.find(({ name }) => name === run.name);
    return spec ? [{ run, report: reportOf(run.result, spec, files) }] : [];
  });
  const trips = roundTrips(account.fills, account.costs);
  const curve = curveOf(account, capital);
  const { startMs, endMs, currency, leverage, bars } = account;
  return {
    portfolio: { name: portfolio.name, risk: portfolio.risk },
    account: { currency, leverage, capital },
    range: {
      from: new Date(startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      files: files.map((file) => basename(file)),
      bars,
      faults: account.faults,
      gaps: Object.fromEntries(
        account.opens.map(({ symbol, timeframe, timesMs }) => [symbol, gapsOf(timesMs, timeframe)]),
      ),
    },
    assumptions: account.assumptions,
    fillRule: fillRuleOf(account.limitFill),
    figures: figuresOf(account, capital, trips, curve),
    benchmark: buyAndHoldEqually(finestSeries(result, specs)),
    strategies: strategies.map(({ run, report }) => strategyOf(run, report, capital)),
    correlations: correlationsOf(strategies),
    months: monthsOf(curve, trips, capital),
    drawdowns: drawdownList(curve, mostDrawdowns),
    breakdowns: breakdownsOf(trips),
    rejects: result.strategies
      .flatMap(({ name, result: own }) => rejectsOf(own).map((reject) => ({ ...reject, strategy: name })))
      .sort((a, b) => b.count - a.count),
    halts: result.halts.map(reported),
    haltReason: result.haltReason,
    trades: strategies
      .flatMap(({ run, report }) => report.trades.map((trade) => ({ ...trade, strategy: run.name })))
      .sort((a, b) => a.closedMs - b.closedMs || a.position - b.position),
    openPositions: strategies.flatMap(({ run, report }) =>
      report.openPositions.map((open) => ({ ...open, strategy: run.name })),
    ),
  };
}

/** The long columns of a portfolio's run. */
export function portfolioColumnsOf({ strategies, equity }: PortfolioResult): PortfolioColumns {
  return {
    equity,
    strategyEquity: Object.fromEntries(strategies.map(({ name, result }) => [name, result.equity])),
    fills: strategies
      .flatMap(({ name, result }) => result.fills.map((fill) => ({ ...fill, strategy: name })))
      .sort((a, b) => a.deal - b.deal),
    logs: strategies
      .flatMap(({ name, result }) => result.logs.map((log) => ({ ...log, strategy: name })))
      .sort((a, b) => a.timeMs - b.timeMs),
  };
}

function strategyOf(run: StrategyRun, report: BacktestReport, capital: number): StrategyReport {
  const { name, halts, errors, firstError, failure } = run;
  const { strategy, figures, rejects, haltReason, range } = report;
  return {
    name,
    strategy,
    capital: report.account.capital,
    bars: range.bars,
    pastBars: range.pastBars,
    warmupBars: range.warmupBars,
    figures,
    contributionPct: contribution(figures, capital),
    rejects,
    haltReason,
    halts: halts.map(reported),
    errors,
    failure,
    firstError: firstError && { at: new Date(firstError.timeMs).toISOString(), error: firstError.error },
  };
}

function correlationsOf(
  strategies: readonly { readonly run: StrategyRun; readonly report: BacktestReport }[],
): PortfolioReport['correlations'] {
  const all = strategies.map(({ run, report }) => {
    return { name: run.name, changes: dailyChanges(curveOf(run.result, report.account.capital)) };
  });
  const rowOf = (changes: readonly number[]): Readonly<Record<string, number | null>> =>
    Object.fromEntries(all.map((other) => [other.name, correlationOf(changes, other.changes)]));
  return Object.fromEntries(all.map(({ name, changes }) => [name, rowOf(changes)]));
}

function contribution({ startEquity, endEquity }: Figures, capital: number): number {
  return Number(((sum([endEquity, -startEquity]) / capital) * 100).toFixed(4));
}

function reported({ atMs, kind, reason }: HaltRecord): ReportedHalt {
  return { at: new Date(atMs).toISOString(), kind, reason };
}

/** The account as if one strategy had made all of its deals. @throws Error for a portfolio without strategies */
function accountOf({ strategies, equity, balance, haltReason }: PortfolioResult): BacktestResult {
  const results = strategies.map(({ result }) => result);
  const [first] = results;
  if (!first) throw new Error('a portfolio has at least one strategy');
  return {
    ...first,
    equity,
    rows: undefined,
    balance,
    haltReason,
    prices: [],
    logs: [],
    opens: finestOpens(results),
    fills: results.flatMap(({ fills }) => fills).sort((a, b) => a.deal - b.deal),
    spreads: new Map(results.flatMap(({ spreads }) => [...spreads])),
    costs: new Map(results.flatMap(({ costs }) => [...costs])),
    rejects: results.flatMap(({ rejects }) => rejects),
    bars: results.reduce((total, { bars }) => total + bars, 0),
    realized: sum(results.map(({ realized }) => realized)),
    unrealized: sum(results.map(({ unrealized }) => unrealized)),
  };
}

/** The bars of each symbol in its shortest timeframe, in the order of the symbols. */
function finestSeries({ strategies }: PortfolioResult, specs: readonly StrategySpec[]): readonly BarSeries[] {
  const finest = new Map<string, BarSeries>();
  for (const { name, result } of strategies) {
    const spec = specs.find((one) => one.name === name);
    for (const series of spec ? seriesOf(result, finestOf(spec.streams)) : []) {
      const known = finest.get(series.symbol);
      // A strategy that failed while it warmed up has no bars.
      if (series.bars.length > 0 && (!known || series.barMs < known.barMs)) finest.set(series.symbol, series);
    }
  }
  return [...finest.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
}

/** The bars of each symbol by its shortest timeframe, in the order of the symbols. */
function finestOpens(results: readonly BacktestResult[]): readonly BarOpens[] {
  const finest = new Map<string, BarOpens>();
  for (const opens of results.flatMap((result) => result.opens)) {
    const known = finest.get(opens.symbol);
    if (!known || lengthOf(opens) < lengthOf(known)) finest.set(opens.symbol, opens);
  }
  return [...finest.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
}

function lengthOf({ timeframe }: BarOpens): number {
  return timeframeMs(timeframe) ?? Infinity;
}

/**
 * Pearson's correlation of two series of daily changes, -1 to 1.
 * @returns null below five days, for series of different lengths, and where one of them does not change
 */
export function correlationOf(first: readonly number[], second: readonly number[]): number | null {
  if (first.length < fewestDays || first.length !== second.length) return null;
  const [a, b] = [deviations(first), deviations(second)];
  const spread = Math.sqrt(productOf(a, a) * productOf(b, b));
  return spread > 0 ? Number((productOf(a, b) / spread).toFixed(4)) : null;
}

function deviations(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function productOf(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0);
}
