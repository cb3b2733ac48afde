import { byMetric, gainOf, scoreOf, type MetricName } from './metric';
import type { NumberedSet } from './parameter-sets';
import type { ResultsFile } from './results-file';
import type { Ledgers } from './disagreement';
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
  /** How many of the best sets are shown, and so have to be confirmed; null: every set runs in the full engine. Null when omitted. */
  readonly shown?: number | null;
}

/** A set and what came of it, in the window that it was trained on; null without walk-forward. */
export interface SearchRow extends NumberedSet {
  readonly window: number | null;
  readonly result: SetResult | null;
  readonly error: string | null;
  /** Its deals, if kernel and engine disagree. */
  readonly ledgers?: Ledgers;
}

/** A window, the set that was best in training, and what that set did on the prices after. */
export interface WindowRow extends Window {
  readonly window: number;
  /** Null when no set of the window has a value of the metric. */
  readonly chosen: SearchRow | null;
  readonly test: SetResult | null;
  readonly error: string | null;
  /** The deals of its test, if kernel and engine disagree. */
  readonly ledgers?: Ledgers;
}

export interface SearchOutcome {
  /** Completed sets; all of them unless the search was stopped. */
  readonly rows: readonly SearchRow[];
  readonly windows: readonly WindowRow[] | null;
  /** Whether a set that has to be confirmed is not: the search was stopped before. */
  readonly isUnconfirmed: boolean;
}

/** How many backtests a search has. */
export function runsOf({ sets, windows }: Pick<Search, 'sets' | 'windows'>): number {
  return windows === null ? sets.length : windows.length * (sets.length + 1);
}

/** The most runs that confirm sets, beside {@link runsOf}. */
export function confirmationsOf({ sets, windows, shown = null }: Search): number {
  if (shown === null) return 0;
  const parts = windows?.length ?? 1;
  return Math.min(shown, sets.length * parts) + (windows?.length ?? 0);
}

/**
 * Runs a search: each set over the period, or each set over the training part of each window and then the best one over
 * the test part. What the kernel has screened and the report shows is confirmed in the full engine.
 * @throws ResultsFileError when an outcome cannot be kept
 */
export async function runSearch(search: Search, sweep: Sweep, results: ResultsFile): Promise<SearchOutcome> {
  const { windows } = search;
  const parts = windows === null ? [null] : windows.map((_, index) => index);
  await sweep.run(parts.flatMap((window) => search.sets.map((set) => trainingOf(search, set, window))));
  const rowsNow = (): SearchRow[] =>
    parts.flatMap((window) => search.sets.flatMap((set) => rowOf(results, set, window) ?? []));
  const chosen = (windows ?? []).map((_, index) => bestOf(rowsNow(), index, search));
  const chosenNow = (): SearchRow[] => chosen.flatMap((row) => (row ? (rowOf(results, row, row.window) ?? []) : []));
  await confirm(search, sweep, chosenNow);
  await confirm(search, sweep, () => shownOf(search, rowsNow()));
  const rows = rowsNow();
  const isUnconfirmed = [...chosenNow(), ...shownOf(search, rows)].some(isScreened);
  if (windows === null) return { rows, windows: null, isUnconfirmed };
  // The figures that chose it were wrong, so nothing was chosen.
  const choices = chosen.map((row) => row && rowOf(results, row, row.window));
  const ready = choices.map((row) => (row?.result ? row : null));
  const tests = windows.flatMap((window, index) => testOf(search, window, index, ready[index] ?? null) ?? []);
  await sweep.run(tests, search.shown == null ? undefined : hostsToConfirm(ready));
  const tested = windows.map((window, index) => {
    const choice = choices[index] ?? null;
    const fields = choice?.error ? { test: null, error: choice.error } : testFields(results.get(testName(index)));
    return { ...window, window: index, chosen: choice, ...fields };
  });
  return { rows, windows: tested, isUnconfirmed };
}

/**
 * Confirms the rows that were only screened. A row that fails makes room for another one, so they are asked for again.
 * @throws ResultsFileError when an outcome cannot be kept
 */
export async function confirm(search: Search, sweep: Sweep, rowsNow: () => readonly SearchRow[]): Promise<void> {
  const toConfirm = (): readonly SearchRow[] => rowsNow().filter(isScreened);
  for (let rows = toConfirm(); rows.length > 0 && !sweep.wasStopped; rows = toConfirm()) {
    await sweep.run(
      rows.map((row) => {
        const { name, job } = trainingOf(search, row, row.window);
        return {
          name: confirmedName(name),
          job: { ...job, how: 'confirm' as const, screened: row.result ?? undefined },
        };
      }),
      hostsToConfirm(rows),
    );
  }
}

/** What the full engine takes for a trade and for a minute of the market, once V8 has compiled it. */
const [tradeMs, minuteMs] = [0.4, 0.002];

/** How much of that one process does: each further one compiles the engine anew, which takes 3 s. */
const hostMs = 15_000;

/** How many hosts confirm some rows. */
export function hostsToConfirm(rows: readonly (Pick<SearchRow, 'result'> | null)[]): number {
  const results = rows.flatMap((row) => row?.result ?? []);
  const totalMs = results.reduce((sum, { figures, startMs, endMs }) => {
    return sum + figures.trades * tradeMs + ((endMs - startMs) / 60_000) * minuteMs;
  }, 0);
  return Math.max(1, Math.ceil(totalMs / hostMs));
}

/** The rows that a report shows: the best ones. */
export function shownOf({ metric, minTrades, shown = null }: Search, rows: readonly SearchRow[]): readonly SearchRow[] {
  if (shown === null) return [];
  return ranked(rows, metric, minTrades)
    .filter(({ error }) => error === null)
    .slice(0, shown);
}

export function isScreened({ result }: Pick<SearchRow, 'result'>): boolean {
  return result?.proof === 'screened';
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
  const job = { ...jobOf(search, set, period, false), how: howOf(search, 'screen') };
  // Of the parts of a walk-forward, the test parts say how a choice fared.
  return { name: trainingName(set, window), job: window === null ? { ...job, wantsDays: true } : job };
}

function testOf(search: Search, window: Window, index: number, chosen: SearchRow | null): SweepTask | null {
  if (chosen === null) return null;
  const period = { fromMs: window.testFromMs, toMs: window.testToMs };
  return { name: testName(index), job: { ...jobOf(search, chosen, period, true), how: howOf(search, 'confirm') } };
}

function howOf({ shown = null }: Search, how: 'screen' | 'confirm'): 'engine' | 'screen' | 'confirm' {
  return shown === null ? 'engine' : how;
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
  const name = trainingName(set, window);
  const outcome = results.get(confirmedName(name)) ?? results.get(name);
  if (!outcome) return null;
  const { set: number, params } = set;
  return {
    set: number,
    params,
    window,
    ...('result' in outcome ? { result: outcome.result, error: null } : { result: null, ...outcome }),
  };
}

function testFields(outcome: SetOutcome | undefined): Pick<WindowRow, 'test' | 'error' | 'ledgers'> {
  if (outcome === undefined) return { test: null, error: null };
  return 'result' in outcome ? { test: outcome.result, error: null } : { test: null, ...outcome };
}

function trainingName({ set }: NumberedSet, window: number | null): string {
  return window === null ? `set ${set}` : `window ${window} set ${set}`;
}

function confirmedName(name: string): string {
  return `${name} confirmed`;
}

function testName(window: number): string {
  return `window ${window} test`;
}
