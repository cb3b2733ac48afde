import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArguments, UsageError } from '@libs/command-line';
import { StateStore } from '../state/state-store';
import { NoDaemonError, askingFlags, stateDirOf } from './control-client';
import { leaveCommand } from './leave-command';
import { isElsewhere, lockOf } from './stored-records';

/**
 * `daemon state dump`: prints the stored state as JSON. A running daemon prints it: a second process that opens its database can
 * make it lose a commit.
 */
export async function state(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, askingFlags, ['dump']);
  if (words.join(' ') !== 'dump') throw new UsageError('state has one subcommand: state dump');
  const stateDir = stateDirOf(flags);
  if (await isElsewhere(stateDir)) return leaveCommand({ command: 'dump' }, flags);
  if (!existsSync(join(stateDir, 'state.lmdb'))) throw new NoDaemonError(`no state found in ${stateDir}`);
  const lock = await lockOf(stateDir);
  if (lock === null) return leaveCommand({ command: 'dump' }, flags);
  const store = StateStore.open(stateDir);
  try {
    process.stdout.write(`${JSON.stringify(store.dump(), null, 2)}\n`);
    return 0;
  } finally {
    await store.close();
    await lock.release();
  }
}
