import { basename } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import type { Axis } from './axis';
import { type MetricName, metricOf, metricText, scoreOf, gainOf } from './metric';
import { overfittingOf, type Overfitting } from './overfitting';
import { ranked, type SearchOutcome, type SearchRow, type WindowRow } from './search';
import type { Ledgers } from './disagreement';
import type { Proof, SetResult } from './set-run';
import { neighbourMeans, setValues } from './surface';
import { walkForwardText, type WalkForward } from './walk-forward';
import { drawdowns } from '../backtest/drawdown';
import type { EquityPoint } from '../backtest/equity-curve';
import { sum, withoutNoise } from '../backtest/exact-sum';
import { sharpeOf } from '../backtest/sharpe';

/** How the sets were chosen. */
export interface SearchPlan {
  readonly axes: readonly Axis[];
  readonly where: readonly string[];
  /** Null when every set is run. */
  readonly random: { readonly count: number; readonly seed: number } | null;
  readonly metric: MetricName;
  /** Sets with fewer closed trades are not ranked. */
  readonly minTrades: number;
  readonly walkForward: WalkForward | null;
  /** Sets to run, and sets of the full grid. */
  readonly sets: number;
  readonly gridSets: number;
  /** Backtests in all. */
  readonly runs: number;
}

/** A row as it is reported. Times are ISO-8601, UTC. */
export interface ReportedRow {
  readonly set: number;
  /** Number of the window that the set was trained on; null without walk-forward. */
  readonly window: number | null;
  readonly params: SearchRow['params'];
  /** The value of the metric; null where it is not defined, without bound, or of too few trades. */
  readonly metric: number | null;
  /** The same for people, with the reason for null; null for a set that failed. */
  readonly metricText: string | null;
  /** The mean of the metric over the sets one step away; null where there is none. */
  readonly neighbours: number | null;
  readonly run: ReportedRun | null;
  /** Where the figures come from; null without a result. */
  readonly proof: Proof | null;
  /** Why the kernel left the set to the full engine; null where it did not, or was not asked. */
  readonly engineReason: string | null;
  /** Why the set has no result; null when it has. */
  readonly error: string | null;
  /** Its deals on both sides, if kernel and engine disagree; omitted otherwise. */
  readonly ledgers?: Ledgers;
}

/** How many sets have figures of the kernel alone, of both, and of the full engine alone, and why the kernel did not run these. */
export interface Screening {
  readonly screened: number;
  readonly confirmed: number;
  readonly engine: number;
  /** Sets by the reason why the kernel left them to the engine. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Runs in which kernel and engine disagree. */
  readonly disagreements: number;
}

interface ReportedRun {
  readonly from: string;
  readonly to: string;
  readonly haltReason: string | null;
  readonly figures: SetResult['figures'];
}

interface ReportedWindow {
  readonly window: number;
  readonly train: { readonly from: string; readonly to: string };
  readonly test: { readonly from: string; readonly to: string };
  readonly set: number | null;
  readonly params: SearchRow['params'] | null;
  readonly trainMetric: number | null;
  readonly testMetric: number | null;
  readonly trainMetricText: string | null;
  readonly testMetricText: string | null;
  readonly run: ReportedRun | null;
  readonly error: string | null;
  /** The deals of its test, if kernel and engine disagree; omitted otherwise. */
  readonly ledgers?: Ledgers;
}

/** What `daemon optimize` reports, as JSON and as the source of table, CSV and page. */
export interface OptimizeReport {
  readonly strategy: {
    readonly file: string;
    readonly version: number;
    /** Parameters that all sets share, defaults included. */
    readonly params: Readonly<Record<string, unknown>>;
    readonly streams: Readonly<Record<string, string>>;
  };
  readonly prices: readonly string[];
  readonly capital: number;
  /** Of the account; all amounts are in it. */
  readonly currency: string;
  readonly search: Omit<SearchPlan, 'walkForward'> & { readonly walkForward: string | null };
  /** False when the search was stopped before its end. */
  readonly isComplete: boolean;
  readonly failed: number;
  readonly screening: Screening;
  /** How far the best set may be luck. */
  readonly overfitting: Overfitting;
  /** The best first. */
  readonly rows: readonly ReportedRow[];
  readonly windows: readonly ReportedWindow[] | null;
  readonly outOfSample: OutOfSample | null;
}

/** The report of a search. */
export function optimizeReport(
  spec: Pick<StrategySpec, 'module' | 'streams' | 'capital'> & { readonly currency: string },
  strategy: { readonly version: number; readonly params: Readonly<Record<string, unknown>> },
  files: readonly string[],
  plan: SearchPlan,
  outcome: SearchOutcome,
): OptimizeReport {
  const { metric, minTrades, axes, walkForward } = plan;
  const { rows, windows } = outcome;
  const { currency } = spec;
  const by = { metric, minTrades, currency };
  const best = ranked(rows, metric, minTrades);
  const neighbours = neighbourMeans(axes, setValues(rows, metric, minTrades));
  const streams = spec.streams.map(({ alias, symbol, timeframe }) => [alias, `${symbol}@${timeframe}`] as const);
  const shared = Object.entries(strategy.params).filter(([name]) => !axes.some((axis) => axis.name === name));
  const done = rows.length + (windows?.filter(({ test, error }) => test !== null || error !== null).length ?? 0);
  return {
    strategy: {
      file: basename(spec.module),
      version: strategy.version,
      params: Object.fromEntries(shared),
      streams: Object.fromEntries(streams),
    },
    prices: files.map((file) => basename(file)),
    capital: spec.capital,
    currency,
    search: { ...plan, walkForward: walkForward && walkForwardText(walkForward) },
    // A window without a set to test has no test.
    isComplete:
      !outcome.isUnconfirmed && done + (windows?.filter(({ chosen }) => chosen === null).length ?? 0) === plan.runs,
    failed: [...rows, ...(windows ?? [])].filter(({ error }) => error !== null).length,
    screening: screeningOf(rows, windows),
    overfitting: overfittingOf(rows, bestOf(best, plan), walkForward !== null),
    rows: best.map((row) => reportedRow(row, by, neighbours.get(row.set))),
    windows: windows && windows.map((window) => windowOf(window, by)),
    outOfSample: windows && outOfSampleOf(windows, spec.capital),
  };
}

/** What sets are ranked by, and the currency of its amounts. */
interface Ranking {
  readonly metric: MetricName;
  readonly minTrades: number;
  readonly currency: string;
}

/** A set as it is reported. @param neighbours the mean of the sets one step away, where there are any */
export function reportedRow(
  row: SearchRow,
  { metric, minTrades, currency }: Ranking,
  neighbours?: number,
): ReportedRow {
  const { set, window, params, result, error, ledgers } = row;
  return {
    set,
    window,
    params,
    metric: result && metricOf(metric, result.figures, minTrades),
    metricText: result && metricText(metric, result.figures, currency, minTrades),
    neighbours: neighbours ?? null,
    run: runOf(result),
    proof: result && (result.proof ?? 'engine'),
    engineReason: result?.engineReason ?? null,
    error,
    ...(ledgers === undefined ? {} : { ledgers }),
  };
}

function screeningOf(rows: readonly SearchRow[], windows: readonly WindowRow[] | null): Screening {
  const of = (proof: Proof): number =>
    rows.filter(({ result }) => result && (result.proof ?? 'engine') === proof).length;
  const reasons: Record<string, number> = {};
  for (const { result } of rows) {
    const reason = result?.engineReason;
    if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const disagreements = [...rows, ...(windows ?? [])].filter(({ ledgers }) => ledgers !== undefined).length;
  return { screened: of('screened'), confirmed: of('confirmed'), engine: of('engine'), reasons, disagreements };
}

/** The first of the ranked sets, if it has a value of the metric. */
function bestOf([first]: readonly SearchRow[], { metric, minTrades }: SearchPlan): SearchRow | null {
  return first?.result && scoreOf(metric, first.result.figures, minTrades) !== null ? first : null;
}

function windowOf(row: WindowRow, { metric, currency }: Omit<Ranking, 'minTrades'>): ReportedWindow {
  const { window, chosen, test, error, ledgers } = row;
  return {
    window,
    train: { from: iso(row.trainFromMs), to: iso(row.testFromMs) },
    test: { from: iso(row.testFromMs), to: iso(row.testToMs) },
    set: chosen?.set ?? null,
    params: chosen?.params ?? null,
    trainMetric: chosen?.result ? metricOf(metric, chosen.result.figures) : null,
    testMetric: test && metricOf(metric, test.figures),
    trainMetricText: chosen?.result ? metricText(metric, chosen.result.figures, currency) : null,
    testMetricText: test && metricText(metric, test.figures, currency),
    run: runOf(test),
    error,
    ...(ledgers === undefined ? {} : { ledgers }),
  };
}

function runOf(result: SetResult | null): ReportedRun | null {
  if (result === null) return null;
  const { startMs, endMs, haltReason, figures } = result;
  return { from: iso(startMs), to: iso(endMs), haltReason, figures };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Results of the chosen sets on the prices after those they were chosen on, one window after the other. */
interface OutOfSample {
  /** Windows with a result, and how many of them gained. */
  readonly windows: number;
  readonly profitableWindows: number;
  /** Result of all deals, without what was floating. */
  readonly netProfit: number;
  /** Floating result of the positions that were open at the end of each test part. */
  readonly openProfit: number;
  readonly trades: number;
  readonly maxDrawdown: number;
  readonly maxDrawdownPct: number;
  readonly sharpe: number | null;
  /** Change of the equity a day out of sample, in percent of that of the same sets in training; null where training lost. */
  readonly efficiencyPct: number | null;
  /** The equity, starting at the capital; each window continues from the end of the one before. */
  readonly curve: readonly EquityPoint[];
}

/** The windows as one result. Null when none has been tested. */
export function outOfSampleOf(windows: readonly WindowRow[], capital: number): OutOfSample | null {
  const tested = windows.flatMap(({ test, chosen }) =>
    test && chosen?.result ? [{ test, train: chosen.result }] : [],
  );
  if (tested.length === 0) return null;
  const results = tested.map(({ test }) => test);
  const curve: EquityPoint[] = [];
  let before = 0;
  for (const { startMs, endMs, figures, curve: own } of results) {
    curve.push([startMs, capital + before]);
    for (const [timeMs, equity] of own ?? []) curve.push([timeMs, withoutNoise(equity + before)]);
    before = sum([before, figures.endEquity, -capital]);
    curve.push([endMs, withoutNoise(capital + before)]);
  }
  const { maxDrawdown, maxDrawdownPct } = drawdowns(curve);
  return {
    windows: results.length,
    profitableWindows: results.filter(({ figures }) => gainOf(figures) > 0).length,
    netProfit: sum(results.map(({ figures }) => figures.netProfit)),
    openProfit: sum(results.map(({ figures }) => figures.openProfit)),
    trades: sum(results.map(({ figures }) => figures.trades)),
    maxDrawdown,
    maxDrawdownPct,
    sharpe: sharpeOf(curve),
    efficiencyPct: efficiency(
      results,
      tested.map(({ train }) => train),
    ),
    curve,
  };
}

type Part = Pick<NonNullable<WindowRow['test']>, 'startMs' | 'endMs' | 'figures'>;

function efficiency(tests: readonly Part[], trainings: readonly Part[]): number | null {
  const training = profitADay(trainings);
  return training > 0 ? rounded((profitADay(tests) / training) * 100) : null;
}

function profitADay(parts: readonly Part[]): number {
  const days = parts.reduce((total, { startMs, endMs }) => total + (endMs - startMs), 0) / 86_400_000;
  return sum(parts.map(({ figures }) => gainOf(figures))) / Math.max(days, Number.EPSILON);
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
