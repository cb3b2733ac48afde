import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateStore } from '../state/state-store';
import { UsageError, parseArguments } from './arguments';
import { NoDaemonError, askingFlags, stateDirOf } from './control-client';

/** `daemon state dump`: everything the daemon remembers, as JSON; also while it runs. */
export async function state(args: readonly string[]): Promise<void> {
  const { flags, words } = parseArguments(args, askingFlags, ['dump']);
  if (words.join(' ') !== 'dump') throw new UsageError('state knows one thing to do: state dump');
  const stateDir = stateDirOf(flags);
  if (!existsSync(join(stateDir, 'state.lmdb'))) throw new NoDaemonError(`no state is kept in ${stateDir}`);
  const store = StateStore.look(stateDir);
  try {
    process.stdout.write(`${JSON.stringify(store.dump(), null, 2)}\n`);
  } finally {
    await store.close();
  }
}
