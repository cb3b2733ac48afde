import { SettingRefused, SettingsError } from '@libs/settings';
import { StateDirFolderError, StateDirLockedError } from '@libs/state-lock';
import { backtestErrors } from './backtest/expected-errors';
import { UsageError } from './cli/arguments';
import { NoDaemonError } from './cli/control-client';
import { run } from './cli/run';
import { drained, tolerateClosedPipe } from './cli/standard-streams';
import { DaemonFileError } from './daemon-file/read-daemon-file';
import { PriceStoreError } from './price-data/price-store';
import { pullErrors } from './price-data/pull-prices';
import { ResultsFileError } from './optimize/results-file';
import { ScaffoldError } from './scaffold/new-strategy';
import { StateOpenError } from './state/state-open-error';
import { StrategyRefusedError, ThreadLostError } from './strategies/strategy-thread';

for (const stream of [process.stdout, process.stderr]) tolerateClosedPipe(stream);

run(process.argv.slice(2)).then(end, (error: unknown) => {
  process.stderr.write(`${problemOf(error)}\n`);
  return end(error instanceof UsageError ? 2 : 1);
});

/** Exits once all output is written: a pipe holds 64 KiB, and exiting discards the rest. */
async function end(code: number): Promise<void> {
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(code);
}

const expectedErrors = [
  ...[UsageError, NoDaemonError, SettingsError, SettingRefused, DaemonFileError, StateDirLockedError],
  ...[StateDirFolderError, StateOpenError, ResultsFileError, PriceStoreError, ScaffoldError, ...pullErrors],
  ...[StrategyRefusedError, ThreadLostError, ...backtestErrors],
];

/** Prints the message of an expected problem, and the stack of a bug. */
function problemOf(error: unknown): string {
  const expected = expectedErrors.some((type) => error instanceof type);
  if (!(error instanceof Error)) return String(error);
  if (expected || 'code' in error) return error.message;
  return error.stack ?? error.message;
}
