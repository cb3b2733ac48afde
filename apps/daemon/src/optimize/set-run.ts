import type { Figures } from '../backtest/figures';
import { curveOf, figuresOf } from '../backtest/figures';
import { changesByDay, type DayChange } from '../backtest/daily-changes';
import type { EquityPoint } from '../backtest/equity-curve';
import { runBacktest, type BacktestOptions } from '../backtest/run-backtest';
import type { KeptThread } from '../backtest/thread/kept-thread';

/** One backtest of a search. Plain data, so that another process can run it. */
export interface SetJob {
  readonly options: Omit<BacktestOptions, 'onProgress'>;
  /** Whether the equity curve is part of the outcome. */
  readonly wantsCurve: boolean;
  /** Whether the daily changes are; false when omitted. */
  readonly wantsDays?: boolean;
}

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
}

/** Outcome of a set. A set that throws or is refused has the error instead of a result. */
export type SetOutcome = { readonly result: SetResult } | { readonly error: string; readonly isLost?: true };

// `isLost`: its process ended, which the set need not have caused. It is run again when the search is resumed.

/** Runs one set as `daemon backtest` runs it. Never throws. @param thread for one set after the other; omitted: one of its own */
export async function runSet(
  { options, wantsCurve, wantsDays = false }: SetJob,
  thread?: KeptThread,
): Promise<SetOutcome> {
  try {
    const run = await runBacktest(options, thread);
    const { startMs, endMs, equity, haltReason } = run;
    const whole = curveOf(run, options.spec.capital);
    const figures = figuresOf(run, options.spec.capital, undefined, whole);
    const days = wantsDays ? changesByDay(whole).map(shortened) : null;
    return { result: { startMs, endMs, figures, haltReason, curve: wantsCurve ? equity : null, days } };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** A results file has one for each day of each set. */
function shortened([day, change]: DayChange): DayChange {
  return [day, Number(change.toPrecision(10))];
}
