import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateDirLockedError, StateLock } from '@libs/state-lock';
import { joinedRecords, noRecords, type StoredRecords } from '../live-report/live-history';
import { readDaemonSettings } from '../daemon.config';
import { requireNotMoved } from '../state-move/moved-state';
import { StateStore, type StrategyRecords } from '../state/state-store';
import { NoDaemonError, stateDirOf, type AskingFlags } from './control-client';
import { resultOf } from './leave-command';

/**
 * What the daemon has stored of strategies. A running daemon gives it: a second process that opens its database can make it
 * lose a commit.
 * @throws NoDaemonError, also with the refusal of the daemon, StateOpenError, StateReadError
 */
export async function storedRecords(names: readonly string[], flags: AskingFlags): Promise<StoredRecords> {
  const stateDir = stateDirOf(flags);
  if (await isElsewhere(stateDir)) return fromDaemon(names, flags);
  if (!existsSync(join(stateDir, 'state.lmdb'))) return noRecords;
  const lock = await lockOf(stateDir);
  if (lock === null) return fromDaemon(names, flags);
  try {
    const store = await openState(stateDir);
    try {
      return joinedRecords(
        'state directory',
        names.map((name) => store.recordsOf(name)),
      );
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}

/**
 * Whether the state is not in the state directory, but in the database of a fleet, so that a running daemon has to be asked.
 * @throws NoDaemonError when none runs
 */
export async function isElsewhere(stateDir: string): Promise<boolean> {
  if (readDaemonSettings().DAEMON_DATABASE_URL === undefined) return false;
  const lock = existsSync(stateDir) ? await lockOf(stateDir) : null;
  await lock?.release();
  if (existsSync(stateDir) && lock === null) return true;
  throw new NoDaemonError('the state is in the database of the fleet: start the daemon first');
}

/** Opens the state in a directory whose lock the caller holds. @throws StateOpenError, also when it was moved into a database */
export async function openState(stateDir: string): Promise<StateStore> {
  await requireNotMoved(stateDir);
  return StateStore.open(stateDir);
}

/** Holds the state directory; null while a daemon does. */
export async function lockOf(stateDir: string): Promise<StateLock | null> {
  try {
    return await StateLock.take(stateDir, 'daemon');
  } catch (error) {
    if (error instanceof StateDirLockedError) return null;
    throw error;
  }
}

async function fromDaemon(names: readonly string[], flags: AskingFlags): Promise<StoredRecords> {
  const result = await resultOf({ command: 'records', names }, flags);
  if (result === null) throw new NoDaemonError('the daemon did not pick up the command');
  if (!result.ok) throw new NoDaemonError(result.message);
  return joinedRecords('daemon', JSON.parse(result.message) as readonly StrategyRecords[]);
}
