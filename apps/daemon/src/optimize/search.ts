import { byMetric, gainOf, scoreOf, type MetricName } from './metric';
import type { NumberedSet } from './parameter-sets';
import type { ResultsFile } from './results-file';
import type { SetJob, SetOutcome, SetResult } from './set-run';
import type { Sweep, SweepTask } from './sweep';
import type { Window } from './walk-forward';

/** What is searched, and on which part of the prices. */
export interface Search {
  readonly sets: readonly NumberedSet[];
  readonly metric: MetricName;
  /** Sets with fewer closed trades are not ranked; 0 by default. */
  readonly minTrades?: number;
  /** The parts of a walk-forward; null for one run over the whole period. */
  readonly windows: readonly Window[] | null;
  /** A run with everything but the parameters of the set. */
  readonly base: SetJob['options'];
}

/** A set and what came of it, in the window that it was trained on; null without walk-forward. */
export interface SearchRow extends NumberedSet {
  readonly window: number | null;
  readonly result: SetResult | null;
  readonly error: string | null;
}

/** A window, the set that was best in training, and what that set did on the prices after. */
export interface WindowRow extends Window {
  readonly window: number;
  /** Null when no set of the window has a value of the metric. */
  readonly chosen: SearchRow | null;
  readonly test: SetResult | null;
  readonly error: string | null;
}

export interface SearchOutcome {
  /** Completed sets; all of them unless the search was stopped. */
  readonly rows: readonly SearchRow[];
  readonly windows: readonly WindowRow[] | null;
}

/** How many backtests a search has. */
export function runsOf({ sets, windows }: Pick<Search, 'sets' | 'windows'>): number {
  return windows === null ? sets.length : windows.length * (sets.length + 1);
}

/**
 * Runs a search: each set over the period, or each set over the training part of each window and then the best one over
 * the test part.
 * @throws ResultsFileError when an outcome cannot be kept
 */
export async function runSearch(search: Search, sweep: Sweep, results: ResultsFile): Promise<SearchOutcome> {
  const { windows } = search;
  const parts = windows === null ? [null] : windows.map((_, index) => index);
  await sweep.run(parts.flatMap((window) => search.sets.map((set) => trainingOf(search, set, window))));
  const rows = parts.flatMap((window) => search.sets.flatMap((set) => rowOf(results, set, window) ?? []));
  if (windows === null) return { rows, windows: null };
  const chosen = windows.map((_, index) => bestOf(rows, index, search));
  await sweep.run(windows.flatMap((window, index) => testOf(search, window, index, chosen[index] ?? null) ?? []));
  const tested = windows.map((window, index) => {
    const outcome = results.get(testName(index));
    return { ...window, window: index, chosen: chosen[index] ?? null, ...testFields(outcome) };
  });
  return { rows, windows: tested };
}

/** The rows with the best first: by the metric. Sets without a value come after them, and failed sets last. */
export function ranked(rows: readonly SearchRow[], metric: MetricName, minTrades = 0): readonly SearchRow[] {
  const value = ({ result }: SearchRow): number | null => result && scoreOf(metric, result.figures, minTrades);
  const gain = ({ result }: SearchRow): number => (result === null ? 0 : gainOf(result.figures));
  const failed = ({ result }: SearchRow): number => Number(result === null);
  // Scores without bound are equal: what was gained then decides.
  const byGain = (a: SearchRow, b: SearchRow): number => (value(a) === Infinity ? gain(b) - gain(a) : 0);
  return [...rows].sort(
    (a, b) => failed(a) - failed(b) || byMetric(metric, value(a), value(b)) || byGain(a, b) || a.set - b.set,
  );
}

/** The run of a set over the whole period, or over the training part of a window. */
export function trainingOf(search: Search, set: NumberedSet, window: number | null): SweepTask {
  const part = window === null ? null : (search.windows?.[window] ?? null);
  const period = part === null ? {} : { fromMs: part.trainFromMs, toMs: part.testFromMs };
  const job = jobOf(search, set, period, false);
  // Of the parts of a walk-forward, the test parts say how a choice fared.
  return { name: trainingName(set, window), job: window === null ? { ...job, wantsDays: true } : job };
}

function testOf(search: Search, window: Window, index: number, chosen: SearchRow | null): SweepTask | null {
  if (chosen === null) return null;
  const period = { fromMs: window.testFromMs, toMs: window.testToMs };
  return { name: testName(index), job: jobOf(search, chosen, period, true) };
}

function jobOf(
  { base }: Search,
  { params }: NumberedSet,
  period: Partial<Pick<SetJob['options'], 'fromMs' | 'toMs'>>,
  wantsCurve: boolean,
): SetJob {
  const spec = { ...base.spec, params: { ...base.spec.params, ...params } };
  return { options: { ...base, ...period, spec }, wantsCurve };
}

function bestOf(rows: readonly SearchRow[], window: number, { metric, minTrades, sets }: Search): SearchRow | null {
  const own = rows.filter((row) => row.window === window);
  // Of an incomplete training the best set is not known.
  if (own.length < sets.length) return null;
  const [best] = ranked(own, metric, minTrades);
  return best?.result && scoreOf(metric, best.result.figures, minTrades) !== null ? best : null;
}

/** A set and its outcome; null while it has none. */
export function rowOf(results: ResultsFile, set: NumberedSet, window: number | null): SearchRow | null {
  const outcome = results.get(trainingName(set, window));
  if (!outcome) return null;
  return {
    ...set,
    window,
    ...('result' in outcome ? { result: outcome.result, error: null } : { result: null, ...outcome }),
  };
}

function testFields(outcome: SetOutcome | undefined): Pick<WindowRow, 'test' | 'error'> {
  if (outcome === undefined) return { test: null, error: null };
  return 'result' in outcome ? { test: outcome.result, error: null } : { test: null, error: outcome.error };
}

function trainingName({ set }: NumberedSet, window: number | null): string {
  return window === null ? `set ${set}` : `window ${window} set ${set}`;
}

function testName(window: number): string {
  return `window ${window} test`;
}
