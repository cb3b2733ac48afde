import 'reflect-metadata';
import { SettingsError } from '@libs/settings';
import { StateDirLockedError } from '@libs/state-lock';
import { UsageError } from './cli/arguments';
import { NoDaemonError } from './cli/control-client';
import { run } from './cli/run';
import { DaemonFileError } from './daemon-file/read-daemon-file';
import { StateOpenError } from './state/state-store';

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${problemOf(error)}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);

/** Expected problems in words; a bug with its stack. */
function problemOf(error: unknown): string {
  const words = [UsageError, NoDaemonError, SettingsError, DaemonFileError, StateDirLockedError, StateOpenError];
  const expected = words.some((type) => error instanceof type);
  if (!(error instanceof Error)) return String(error);
  if (expected || 'code' in error) return error.message;
  return error.stack ?? error.message;
}
