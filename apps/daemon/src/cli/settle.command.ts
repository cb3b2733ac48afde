import { UsageError } from '@libs/command-line';
import { leaveCommand } from './leave-command';
import { argumentsOf, commands } from './commands';

/** `daemon settle NAME KEY`: settles an in-flight request whose outcome the daemon cannot resolve. */
export async function settle(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.settle, args);
  const [name, key] = words;
  if (name === undefined || key === undefined)
    throw new UsageError('settle needs a strategy name and an idempotency key');
  const { order = null, undone = false } = flags;
  if ((order === null) !== undone) throw new UsageError('settle needs either --order TICKET or --undone');
  return leaveCommand({ command: 'settle', name, key, order }, flags);
}
