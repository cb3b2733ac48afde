import { randomUUID } from 'node:crypto';
import { awaitedResult, CommandFolder } from '@libs/command-folder';
import { machineFiles } from '@libs/files';
import { commandOf, type Command } from '../commands/command';
import { ask, stateDirOf, type AskingFlags } from './control-client';

const patienceMs = 10_000;

/** Submits a command to the running daemon and prints its result. Resolves with the exit code. */
export async function leaveCommand(command: Command, flags: AskingFlags): Promise<number> {
  await ask('/health', flags);
  const folder = new CommandFolder(stateDirOf(flags), machineFiles, commandOf);
  const path = await folder.leave(`${Date.now()}-${randomUUID()}`, command);
  const result = await awaitedResult(path, (waitedMs) => waitedMs < patienceMs);
  if (result !== null) {
    process.stdout.write(`${result.message}\n`);
    return result.ok ? 0 : 1;
  }
  process.stderr.write('the daemon did not pick up the command\n');
  return 1;
}
