import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFolder, type CommandResult } from '../commands/command-folder';
import { UsageError, parseArguments } from './arguments';
import { ask, askingFlags, stateDirOf } from './control-client';

const patienceMs = 10_000;

/** `daemon resume NAME`: ends a strategy's halt while the daemon runs. */
export async function resume(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, askingFlags);
  const [name] = words;
  if (name === undefined) throw new UsageError('resume needs the name of a strategy');
  await ask('/health', flags);
  const result = await new CommandFolder(stateDirOf(flags)).leave(`${Date.now()}-${randomUUID()}`, {
    command: 'resume',
    name,
  });
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 100) {
    if (existsSync(result)) {
      const { ok, message } = JSON.parse(readFileSync(result, 'utf8')) as CommandResult;
      await rm(result);
      process.stdout.write(`${message}\n`);
      return ok ? 0 : 1;
    }
    await pause(100);
  }
  process.stderr.write('the daemon did not take up the command\n');
  return 1;
}
