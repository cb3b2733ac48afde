import { accessSync, constants, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Flags, advice, UsageError } from '@libs/command-line';
import { parseGrid, type Axis } from '../optimize/axis';
import { parseConditions, type Condition } from '../optimize/condition';
import { defaultMetric, isMetric, metrics, type MetricName } from '../optimize/metric';
import { gridSize, mostSets } from '../optimize/parameter-sets';
import { parseWalkForward, type WalkForward } from '../optimize/walk-forward';
import { backtestArguments, type BacktestArguments } from './backtest-arguments';
import type { commands, Kinds } from './commands';

type OptimizeFlags = Flags<Kinds<(typeof commands)['optimize']['flags']>>;

/** A search as the command line describes it. */
export interface OptimizeArguments {
  readonly backtest: BacktestArguments;
  /** A file of sets, `-` for stdin, in place of a grid. */
  readonly sets: string | null;
  readonly axes: readonly Axis[];
  readonly conditions: readonly Condition[];
  readonly random: { readonly count: number; readonly seed: number } | null;
  readonly metric: MetricName;
  /** Sets with fewer closed trades are not ranked. */
  readonly minTrades: number;
  readonly walkForward: WalkForward | null;
  readonly jobs: number;
  readonly top: number;
  /** Whether every set runs in the full engine. */
  readonly noKernel: boolean;
}

const mostJobs = 256;
const withoutGrid = ['grid', 'random', 'seed', 'where', 'walk-forward', 'results', 'resume', 'top'] as const;

/** The command line of a search, checked. @throws UsageError with every problem on a line of its own */
export function optimizeArguments(flags: OptimizeFlags, words: readonly string[]): OptimizeArguments {
  const problems: string[] = [];
  const backtest = marketOf(flags, words, problems);
  const { sets = null } = flags;
  if (sets !== null) problems.push(...withoutGrid.filter((name) => flags[name] !== undefined).map(besideSets));
  if (sets !== null && sets !== '-' && !isReadable(sets)) problems.push(`--sets ${sets} cannot be read`);
  if (flags.grid === undefined && sets === null)
    problems.push('optimize needs --grid, such as --grid fast=5:50:5,slow=20:200:10');
  const axes = flags.grid === undefined ? [] : parseGrid(flags.grid, problems);
  const conditions = flags.where === undefined ? [] : parseConditions(flags.where, problems);
  const count = integer('random', flags.random, 1, mostSets, problems);
  const seed = integer('seed', flags.seed, 0, 4_294_967_295, problems);
  if (flags.seed !== undefined && flags.random === undefined) problems.push('--seed needs --random');
  const size = gridSize(axes);
  if (size > Number.MAX_SAFE_INTEGER) problems.push(`--grid has ${size} sets, which is too many`);
  else if (size > mostSets && flags.random === undefined) {
    problems.push(`--grid has ${size} sets, and ${mostSets} can be run; add --random N`);
  }
  const metric = flags.metric ?? defaultMetric;
  if (!isMetric(metric)) problems.push(`--metric ${metric} is unknown${advice(metric, Object.keys(metrics))}`);
  const minTrades = integer('min-trades', flags['min-trades'], 0, Number.MAX_SAFE_INTEGER, problems) ?? 0;
  const walkForward = flags['walk-forward'] === undefined ? null : parseWalkForward(flags['walk-forward']);
  if (flags['walk-forward'] !== undefined && walkForward === null) {
    problems.push(`--walk-forward must be training/test in d, w or m, such as 6m/1m, not ${flags['walk-forward']}`);
  }
  const jobs = integer('jobs', flags.jobs, 1, mostJobs, problems) ?? Math.min(availableParallelism(), mostJobs);
  const top = integer('top', flags.top, 1, mostSets, problems) ?? 20;
  if (flags.resume && flags.results === undefined) problems.push('--resume needs --results FILE');
  if (problems.length > 0 || backtest === null || !isMetric(metric)) throw new UsageError(problems.join('\n'));
  const random = count === null ? null : { count, seed: seed ?? 1 };
  return {
    backtest,
    sets,
    axes,
    conditions,
    random,
    metric,
    minTrades,
    walkForward,
    jobs,
    top,
    noKernel: flags['no-kernel'] === true,
  };
}

function besideSets(name: string): string {
  return `--${name} does not go with --sets, whose lines are the sets`;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function marketOf(flags: OptimizeFlags, words: readonly string[], problems: string[]): BacktestArguments | null {
  try {
    return backtestArguments(flags, words);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    problems.push(error.message.replace(/^backtest /, 'optimize '));
    return null;
  }
}

function integer(name: string, text: string | undefined, min: number, max: number, problems: string[]): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  problems.push(`--${name} must be an integer, ${min} to ${max}, not ${text}`);
  return null;
}
