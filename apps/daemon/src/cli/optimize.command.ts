import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SystemClock, type Clock } from '@libs/clock';
import { UsageError, duration } from '@libs/command-line';
import { countText } from '@libs/gateway-client/figure-text';
import { backtestBarWaitMs, backtestLimits, backtestSettings } from '../backtest/backtest.config';
import { brokerCurrency } from '../backtest/broker-flags';
import { BacktestMarket } from '../backtest/backtest-market';
import { optimizeCsv } from '../optimize/optimize-csv';
import { optimizePage } from '../optimize/optimize-page';
import { optimizeReport, type SearchPlan } from '../optimize/optimize-report';
import { optimizeTable } from '../optimize/optimize-table';
import { gridSets, gridSize, randomSets, type NumberedSet } from '../optimize/parameter-sets';
import { ProcessHost } from '../optimize/process-host';
import { ResultsFile, type SearchIdentity } from '../optimize/results-file';
import { confirmationsOf, runSearch, runsOf, type Search } from '../optimize/search';
import { loadSearched, type SearchedStrategy } from '../optimize/searched-strategy';
import { Sweep, type SweepProgress } from '../optimize/sweep';
import { walkForwardText, windowsOf } from '../optimize/walk-forward';
import { bundleForScreening, bundleStrategy } from '../strategies/strategy-bundler';
import { optimizeArguments, type OptimizeArguments } from './optimize-arguments';
import { optimizeSets } from './optimize-sets';
import { checkReportFiles, writeReport } from './report-files';
import type { SetOutcome } from '../optimize/set-run';
import { argumentsOf, commands } from './commands';

/** Exit code of a program that Ctrl-C has ended. */
const interrupted = 130;

/** `daemon optimize FILE --data … --grid …`: backtests many sets of parameters, and ranks them. */
export async function optimize(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.optimize, args);
  const given = optimizeArguments(flags, words);
  checkReportFiles(flags, words);
  const { spec, files, fromMs, toMs, latencyMs, acceptFaulty } = given.backtest;
  const bundle = await (given.noKernel ? bundleStrategy : bundleForScreening)(spec.module);
  const strategy = await loadSearched(spec, bundle, given.axes);
  const broker = { ...backtestSettings(process.env), ...given.backtest.broker };
  const settings = { broker, limits: backtestLimits(process.env), barWaitMs: backtestBarWaitMs(process.env) };
  const base = { spec, files, fromMs, toMs, latencyMs, acceptFaulty, bundle, ...settings };
  // Before anything runs: what cannot be used would fail every set. How many bars a set warms up with, only the set knows.
  const market = {
    files,
    fromMs,
    toMs,
    streams: spec.streams,
    pastBars: {},
    balance: spec.capital,
    broker,
    acceptFaulty,
  };
  const span = await BacktestMarket.spanOf(market);
  if (given.sets !== null) return optimizeSets({ ...given, sets: given.sets }, strategy, base, flags);
  const sets = setsOf(given, strategy);
  const windows = partsOf(given, span);
  const shown = given.noKernel ? null : given.top;
  const search: Search = { sets, metric: given.metric, minTrades: given.minTrades, windows, base, shown };
  const plan = { ...planOf(given), sets: sets.length, gridSets: gridSize(given.axes), runs: runsOf(search) };

  const results = await resultsOf(flags, given, plan, search);
  const hosts = Array.from({ length: Math.min(given.jobs, sets.length) }, () => new ProcessHost());
  const progress = new SearchProgress(plan.runs + confirmationsOf(search), process.stderr, new SystemClock());
  const sweep = new Sweep(hosts, results, progress);
  const stop = (): void => sweep.stop();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const outcome = await runSearch(search, sweep, results).finally(() => hosts.forEach((host) => host.end()));
  progress.clear();

  const report = optimizeReport({ ...spec, currency: brokerCurrency(broker) }, strategy, files, plan, outcome);
  if (flags.csv !== undefined) writeReport('csv', flags.csv, optimizeCsv(report));
  if (flags.html !== undefined) writeReport('html', flags.html, optimizePage(report, outcome.rows));
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : optimizeTable(report, given.top)}\n`);
  if (sweep.wasStopped) {
    const kept = flags.results === undefined ? '' : `; continue it with --results ${flags.results} --resume`;
    process.stderr.write(`stopped after ${outcome.rows.length} of ${countText(plan.runs, 'run')}${kept}\n`);
    return interrupted;
  }
  if (report.screening.disagreements > 0) return 1;
  return report.rows.some(({ error }) => error === null) ? 0 : 1;
}

function setsOf({ axes, conditions, random }: OptimizeArguments, strategy: SearchedStrategy): readonly NumberedSet[] {
  const known = [...axes.map(({ name }) => name), ...Object.keys(strategy.params)];
  const unknown = conditions.flatMap(({ text, names }) =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => `--where ${text}: ${name} is not a parameter of this search`),
  );
  if (unknown.length > 0) throw new UsageError(unknown.join('\n'));
  const { params } = strategy;
  const sets =
    random === null
      ? gridSets(axes, conditions, params)
      : randomSets(axes, conditions, params, random.count, random.seed);
  if (sets.length === 0) throw new UsageError('no set of --grid meets --where');
  return sets;
}

function partsOf(
  { walkForward, backtest }: OptimizeArguments,
  { firstMs, lastMs }: Awaited<ReturnType<typeof BacktestMarket.spanOf>>,
): Search['windows'] {
  if (walkForward === null) return null;
  const { fromMs, toMs } = backtest;
  const windows = windowsOf(
    walkForward,
    Math.max(fromMs ?? firstMs, firstMs),
    Math.min((toMs ?? Infinity) - 1, lastMs),
  );
  if (windows.length > 0) return windows;
  throw new UsageError(`--walk-forward ${walkForwardText(walkForward)}: the prices are too short for one window`);
}

function planOf({
  axes,
  conditions,
  random,
  metric,
  minTrades,
  walkForward,
}: OptimizeArguments): Omit<SearchPlan, 'sets' | 'gridSets' | 'runs'> {
  return { axes, where: conditions.map(({ text }) => text), random, metric, minTrades, walkForward };
}

async function resultsOf(
  { results, resume }: { readonly results?: string; readonly resume?: true },
  given: OptimizeArguments,
  plan: SearchPlan,
  { base }: Search,
): Promise<ResultsFile> {
  if (results === undefined) return ResultsFile.inMemory();
  const identity = await identityOf(given, plan, base);
  return resume ? ResultsFile.resume(results, identity) : ResultsFile.create(results, identity);
}

/** Everything that the outcomes depend on; metric and least trades are among them only where they choose sets. */
async function identityOf(
  { backtest }: OptimizeArguments,
  plan: SearchPlan,
  base: Search['base'],
): Promise<SearchIdentity> {
  const { spec, broker, limits, barWaitMs, latencyMs, acceptFaulty, bundle } = base;
  const { axes, where, random, walkForward, metric, minTrades } = plan;
  const { params, streams, capital, risk } = spec;
  return {
    strategy: createHash('sha256')
      .update(bundle?.code ?? '')
      .digest('hex'),
    params,
    streams,
    capital,
    risk,
    broker,
    limits,
    barWaitMs,
    latencyMs,
    acceptFaulty,
    from: backtest.fromMs,
    to: backtest.toMs,
    grid: axes,
    where,
    random,
    walkForward,
    metric: walkForward === null ? null : metric,
    ...(walkForward === null || minTrades === 0 ? {} : { minTrades }),
    symbols: broker?.SIM_SYMBOLS === undefined ? null : await hashOf(broker.SIM_SYMBOLS),
    prices: await Promise.all(backtest.files.map(async (file) => [basename(file), await hashOf(file)])),
  };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file.replace(/^[A-Za-z0-9._#]+=/, '')), hash);
  return hash.digest('hex');
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Writes how far a search is and how long the rest takes; nothing if the output is not a terminal. */
export class SearchProgress implements SweepProgress {
  private readonly startMs: number;
  private done = 0;
  private kept = 0;
  private failed = 0;
  private lastLength = 0;

  constructor(
    private readonly total: number,
    private readonly out: Terminal,
    private readonly clock: Clock,
  ) {
    this.startMs = clock.monotonicMs();
  }

  note(outcome: SetOutcome, wasKept: boolean): void {
    this.done++;
    if (wasKept) this.kept++;
    if ('error' in outcome) this.failed++;
    this.draw(this.text());
  }

  /** Removes the line. */
  clear(): void {
    this.draw('');
    if (this.out.isTTY) this.out.write('\r');
  }

  private text(): string {
    const { done, kept, failed, total } = this;
    const run = done - kept;
    // Outcomes of an earlier run took no time in this one.
    const leftMs = run === 0 ? null : ((this.clock.monotonicMs() - this.startMs) / run) * (total - done);
    const rest = leftMs === null ? '' : `, ${duration(leftMs)} left`;
    return `${done} of ${countText(total, 'run')}${failed === 0 ? '' : `, ${failed} failed`}${rest}`;
  }

  private draw(text: string): void {
    if (!this.out.isTTY) return;
    this.out.write(`\r${text.padEnd(this.lastLength)}`);
    this.lastLength = text.length;
  }
}
