import { SystemClock } from '@libs/clock';
import { UsageError } from '@libs/command-line';
import { configPath, readDaemonSettings } from '../daemon.config';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { subjectOf, UnknownSubjectError, type LiveSubject } from '../live-report/live-subject';
import { sinceDeployment } from '../live-report/deployed-span';
import { readLiveHistory, type LiveHistory } from '../live-report/live-history';
import type { LivePeriod } from '../live-report/live-period';
import { strategyLines } from '../live-report/strategy-lines';
import { instant } from './backtest-arguments';
import { stateDirOf, type AskingFlags } from './control-client';
import { storedRecords } from './stored-records';

export interface LiveFlags {
  readonly config?: string;
  readonly days?: number;
  readonly from?: string;
  readonly to?: string;
}

const defaultDays = 30;

/** What a command examines: a strategy or portfolio of the configuration, and a period. */
export interface LiveArguments {
  readonly subject: LiveSubject;
  readonly period: LivePeriod;
}

/** @throws UsageError, DaemonFileError */
export function liveArguments(command: string, flags: LiveFlags, words: readonly string[]): LiveArguments {
  const [name] = words;
  if (name === undefined) throw new UsageError(`${command} needs a strategy name`);
  const period = periodOf(flags);
  const file = readDaemonFile(configPath(flags.config, readDaemonSettings()), process.env);
  try {
    return { subject: subjectOf(file, name), period };
  } catch (error) {
    if (error instanceof UnknownSubjectError) throw new UsageError(error.message);
    throw error;
  }
}

/** Reads the history that the arguments name, with the daemon's records; without --from, from the first deployment on at most. @throws what those reads throw */
export async function historyOf({ subject, period }: LiveArguments, flags: AskingFlags): Promise<LiveHistory> {
  // A portfolio has a record of its own.
  const names = new Set([subject.name, ...subject.strategies.map(({ name }) => name)]);
  const history = await readLiveHistory(subject, await storedRecords([...names], flags), period, process.env);
  if (period.fromMs !== null) return history;
  const stateDir = stateDirOf(flags);
  const logs = await Promise.all(subject.strategies.map(({ name }) => strategyLines(stateDir, name)));
  return sinceDeployment(history, logs, new SystemClock().nowMs());
}

/** The period of the flags: the last days, or from one instant to another. @throws UsageError */
export function periodOf({ days, from, to }: LiveFlags): LivePeriod {
  if (days !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError('--days cannot be combined with --from and --to');
  }
  const [fromMs, toMs] = [instant('from', from), instant('to', to)];
  if (fromMs !== null && toMs !== null && fromMs >= toMs) throw new UsageError('--from must be before --to');
  return { fromMs, toMs, days: days ?? defaultDays };
}
