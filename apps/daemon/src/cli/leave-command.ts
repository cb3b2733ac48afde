import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { machineFiles } from '@libs/files';
import type { Command, CommandResult } from '../commands/command';
import { CommandFolder } from '../commands/command-folder';
import { ask, stateDirOf, type AskingFlags } from './control-client';

const patienceMs = 10_000;

/** Submits a command to the running daemon and prints its result. Resolves with the exit code. */
export async function leaveCommand(command: Command, flags: AskingFlags): Promise<number> {
  await ask('/health', flags);
  const folder = new CommandFolder(stateDirOf(flags), machineFiles);
  const result = await folder.leave(`${Date.now()}-${randomUUID()}`, command);
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 100) {
    if (existsSync(result)) {
      const { ok, message } = JSON.parse(readFileSync(result, 'utf8')) as CommandResult;
      await rm(result);
      process.stdout.write(`${message}\n`);
      return ok ? 0 : 1;
    }
    await pause(100);
  }
  process.stderr.write('the daemon did not pick up the command\n');
  return 1;
}
