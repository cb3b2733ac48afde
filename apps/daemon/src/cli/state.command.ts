import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { advice, UsageError } from '@libs/command-line';
import { NoDaemonError, stateDirOf, type AskingFlags } from './control-client';
import { notPickedUp, printResult, resultOf } from './leave-command';
import { stateMove } from './state-move';
import { isElsewhere, lockOf, openState } from './stored-records';
import { argumentsOf, commands } from './commands';

const stateFlags = { ...commands.state.flags, ...commands.state.subcommands.move.flags };

/** `daemon state dump` and `daemon state move`. */
export async function state(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf({ ...commands.state, flags: stateFlags }, args);
  const [word] = words;
  if (word === 'move') return stateMove({ stateDir: stateDirOf(flags), isDryRun: flags['dry-run'] === true });
  if (word !== 'dump') throw new UsageError(`daemon state ${adviceFor(word)}`);
  if (flags['dry-run']) throw new UsageError('--dry-run is for state move');
  return dump(flags);
}

function adviceFor(word: string | undefined): string {
  if (word === undefined) return 'needs one of dump, move';
  return `has no ${word}${advice(word, ['dump', 'move'])}`;
}

/** Prints the stored state as JSON. A running daemon prints it: a second process that opens its database can make it lose a commit. */
async function dump(flags: AskingFlags): Promise<number> {
  const stateDir = stateDirOf(flags);
  if (await isElsewhere(stateDir)) return dumpOfRunning(flags);
  if (!existsSync(join(stateDir, 'state.lmdb'))) throw new NoDaemonError(`no state found in ${stateDir}`);
  const lock = await lockOf(stateDir);
  if (lock === null) return dumpOfRunning(flags);
  try {
    const store = await openState(stateDir);
    process.stdout.write(`${JSON.stringify(store.dump(), null, 2)}\n`);
    await store.close();
    return 0;
  } finally {
    await lock.release();
  }
}

/** The state itself is JSON, so that it is the same document with and without --json. */
async function dumpOfRunning(flags: AskingFlags): Promise<number> {
  const result = await resultOf({ command: 'dump' }, flags);
  if (result === null) return notPickedUp(flags);
  printResult(result, result.ok ? {} : flags);
  return result.ok ? 0 : 1;
}
