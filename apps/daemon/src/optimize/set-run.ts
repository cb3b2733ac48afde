import type { Figures } from '../backtest/figures';
import { curveOf, figuresOf } from '../backtest/figures';
import { changesByDay, type DayChange } from '../backtest/daily-changes';
import type { EquityPoint } from '../backtest/equity-curve';
import type { Screened } from '../backtest/kernel/screened';
import { runBacktest, screenBacktest, type BacktestOptions } from '../backtest/run-backtest';
import type { KeptThread } from '../backtest/thread/kept-thread';
import { disagreement, type Ledgers } from './disagreement';

/** One backtest of a search. Plain data, so that another process can run it. */
export interface SetJob {
  readonly options: Omit<BacktestOptions, 'onProgress'>;
  /** Whether the equity curve is part of the outcome. */
  readonly wantsCurve: boolean;
  /** Whether the daily changes are; false when omitted. */
  readonly wantsDays?: boolean;
  /**
   * `engine`, when omitted: in the full engine. `screen`: in the kernel, and in the engine what the kernel does not know.
   * `confirm`: in both, which have to agree.
   */
  readonly how?: 'engine' | 'screen' | 'confirm';
  /** What the kernel came to before, to be confirmed. */
  readonly screened?: SetResult | undefined;
}

/** Where figures come from: the kernel alone; the kernel and the full engine, which agree; or the full engine alone. */
export type Proof = 'screened' | 'confirmed' | 'engine';

/** What came of a backtest that ran to its end. */
export interface SetResult {
  /** First and last instant that was traded, in UTC milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly figures: Figures;
  /** Why entries were stopped before the end; null when they were not. */
  readonly haltReason: string | null;
  readonly curve: readonly EquityPoint[] | null;
  /** Null where they were not wanted, or in an outcome that an earlier version kept. */
  readonly days?: readonly DayChange[] | null;
  /** Omitted: the full engine alone. */
  readonly proof?: Proof;
  /** Why the kernel left the set to the full engine; omitted where it was not asked. */
  readonly engineReason?: string;
}

/** Outcome of a set. A set that throws or is refused has the error instead of a result. */
export type SetOutcome =
  | { readonly result: SetResult }
  | { readonly error: string; readonly isLost?: true }
  | { readonly error: string; readonly ledgers: Ledgers };

// `isLost`: its process ended, which the set need not have caused. It is run again when the search is resumed.
// `ledgers`: kernel and engine disagree.

/** Runs one set as `daemon backtest` runs it. Never throws. @param thread for one set after the other */
export async function runSet(job: SetJob, thread?: KeptThread): Promise<SetOutcome> {
  const { how = 'engine', options, wantsCurve, wantsDays = false } = job;
  try {
    if (how === 'engine' || thread === undefined) return await inEngine(job, {}, thread);
    const wanted = { days: wantsDays, ledger: how === 'confirm' };
    const screening = await screenBacktest(options, wanted, thread);
    // As the engine would: it loads the strategy in the same way.
    if ('refused' in screening) return { error: screening.refused };
    if ('needsEngine' in screening) return await inEngine(job, { engineReason: screening.needsEngine }, thread);
    const { screened } = screening;
    if (how === 'screen' && !wantsCurve) return { result: resultOf(screened) };
    return await confirmed(job, screened, thread);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function inEngine(
  { options, wantsCurve, wantsDays = false }: SetJob,
  reason: Pick<SetResult, 'engineReason'>,
  thread?: KeptThread,
): Promise<{ readonly result: SetResult }> {
  const { result } = await engineRun(options, wantsCurve, wantsDays, thread);
  return { result: { ...result, ...reason } };
}

async function confirmed(
  { options, wantsCurve, wantsDays = false, screened: before }: SetJob,
  screened: Screened,
  thread: KeptThread,
): Promise<SetOutcome> {
  const { result, fills } = await engineRun(options, wantsCurve, wantsDays, thread);
  const kernel = resultOf(screened);
  const ledgers = { kernel: screened.ledger ?? [], engine: fills };
  const problem = disagreement(kernel, result, ledgers) ?? (before ? disagreement(before, result, null) : null);
  if (problem !== null) return { error: `kernel and engine disagree: ${problem}`, ledgers };
  return { result: { ...result, proof: 'confirmed' } };
}

async function engineRun(
  options: SetJob['options'],
  wantsCurve: boolean,
  wantsDays: boolean,
  thread: KeptThread | undefined,
) {
  const run = await runBacktest(options, thread);
  const { startMs, endMs, haltReason, fills } = run;
  const whole = curveOf(run, options.spec.capital);
  const figures = figuresOf(run, options.spec.capital, undefined, whole);
  const days = wantsDays ? changesByDay(whole).map(shortened) : null;
  const result: SetResult = { startMs, endMs, figures, haltReason, curve: wantsCurve ? run.equity : null, days };
  return { result, fills };
}

function resultOf({ startMs, endMs, figures, days }: Screened): SetResult {
  const shown = days && days.map(shortened);
  return { startMs, endMs, figures, haltReason: null, curve: null, days: shown, proof: 'screened' };
}

/** A results file has one for each day of each set. */
function shortened([day, change]: DayChange): DayChange {
  return [day, Number(change.toPrecision(10))];
}
