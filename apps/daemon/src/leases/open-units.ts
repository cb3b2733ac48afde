import { join } from 'node:path';
import type { Clock } from '@libs/clock';
import type { Files } from '@libs/files';
import type { DatabaseOptions, FleetDatabase } from '@libs/postgres';
import type { Logger } from 'pino';
import { hostNameOf, type DaemonSettings } from '../daemon.config';
import { movedState } from '../state-move/moved-state';
import { StateOpenError } from '../state/state-open-error';
import { SharedUnits } from './shared-units';

export interface UnitsSurroundings {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files: Files;
  /** Connects to a database. @throws DatabaseError */
  readonly openDatabase: (options: DatabaseOptions) => Promise<FleetDatabase>;
  /** Makes a name of this start of the daemon: unlike every other start of any daemon. */
  readonly newSession: () => string;
}

/**
 * Connects to the database of the fleet.
 * @returns null without DAEMON_DATABASE_URL
 * @throws DatabaseError
 * @throws StateOpenError when the state directory has the state of strategies, which would be left behind
 */
export async function openUnits(settings: DaemonSettings, around: UnitsSurroundings): Promise<SharedUnits | null> {
  const { DAEMON_DATABASE_URL: url, DAEMON_LEASE_SECONDS: leaseSeconds } = settings;
  if (url === undefined) return null;
  const { stateDir, clock, logger, files, openDatabase, newSession } = around;
  const file = join(stateDir, 'state.lmdb');
  if ((await exists(file, files)) && (await movedState(stateDir, files)) === null) {
    throw new StateOpenError(
      `${file} is the state of a daemon without a database: move it with daemon state move, or use another state directory`,
    );
  }
  const name = hostNameOf(settings);
  const { DAEMON_CAPACITY: capacity, DAEMON_LABELS: labels } = settings;
  const holder = { id: `${name}/${newSession()}`, name, capacity, labels };
  const leaseMs = leaseSeconds * 1_000;
  // A statement that takes longer than a third of a lease is too late for it.
  const timeoutMs = Math.min(3_000, leaseMs / 3);
  const database = await openDatabase({ url, applicationName: `trading-daemon ${name}`, timeoutMs });
  return new SharedUnits({ database, holder, leaseMs, clock, logger });
}

async function exists(path: string, files: Files): Promise<boolean> {
  try {
    await files.stat(path, { bigint: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new StateOpenError(`${path} cannot be read: ${String(error)}`);
  }
}
