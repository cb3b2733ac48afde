import { parseArguments, UsageError } from '@libs/command-line';
import { askingFlags } from './control-client';
import { leaveCommand } from './leave-command';

/** `daemon resume NAME`: ends a strategy's halt while the daemon runs. */
export async function resume(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, askingFlags, ['NAME']);
  const [name] = words;
  if (name === undefined) throw new UsageError('resume needs a strategy name');
  return leaveCommand({ command: 'resume', name }, flags);
}
