import { UsageError } from '@libs/command-line';
import { leaveCommand } from './leave-command';
import { argumentsOf, commands } from './commands';

/** `daemon resume NAME`: ends a strategy's halt while the daemon runs. */
export async function resume(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.resume, args);
  const [name] = words;
  if (name === undefined) throw new UsageError('resume needs a strategy name');
  return leaveCommand({ command: 'resume', name }, flags);
}
