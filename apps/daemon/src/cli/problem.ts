import { UsageError } from '@libs/command-line';
import { DatabaseError } from '@libs/postgres';
import { SettingRefused, SettingsError } from '@libs/settings';
import { StateDirFolderError, StateDirLockedError } from '@libs/state-lock';
import { StoreOpenError } from '@libs/store';
import { backtestErrors } from '../backtest/expected-errors';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { AccountMismatchError } from '../gateways/gateway-session';
import { EmptyPeriodError } from '../live-report/live-period';
import { UnknownZoneError } from '../live-report/live-position';
import { ResultsFileError } from '../optimize/results-file';
import { ImportError } from '../price-data/import/source-text';
import { PriceStoreError } from '../price-data/price-store';
import { pullErrors } from '../price-data/pull-prices';
import { ScaffoldError } from '../scaffold/new-strategy';
import { StateMoveError, UnfinishedMoveError } from '../state-move/move-state';
import { StateReadError } from '../state/record-table';
import { StateOpenError } from '../state/state-open-error';
import { StrategyRefusedError, ThreadLostError } from '../strategies/strategy-thread';
import { NoDaemonError } from './control-client';
import { ReportWriteError } from './report-files';

const expectedErrors = [
  ...[UsageError, ReportWriteError, NoDaemonError, SettingsError, SettingRefused, DaemonFileError, StateDirLockedError],
  ...[StateDirFolderError, StateOpenError, DatabaseError, ResultsFileError, PriceStoreError, ImportError],
  ...[ScaffoldError, ...pullErrors],
  ...[
    StrategyRefusedError,
    ThreadLostError,
    AccountMismatchError,
    UnknownZoneError,
    EmptyPeriodError,
    StateReadError,
    StateMoveError,
    UnfinishedMoveError,
    StoreOpenError,
    ...backtestErrors,
  ],
];

/** The message of an expected problem, and the stack of a bug. */
export function problemOf(error: unknown): string {
  const expected = expectedErrors.some((type) => error instanceof type);
  if (!(error instanceof Error)) return String(error);
  if (expected || 'code' in error) return error.message;
  return error.stack ?? error.message;
}

/** 2 for a wrong command line, 1 for any other error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? 2 : 1;
}
