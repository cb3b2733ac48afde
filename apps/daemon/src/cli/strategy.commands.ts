import { UsageError } from '@libs/command-line';
import { leaveCommand } from './leave-command';
import { argumentsOf, commands } from './commands';

/** `daemon halt NAME`: stops the entries of a strategy and cancels its pending orders while the daemon runs. */
export async function halt(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.halt, args);
  const [name] = words;
  if (name === undefined) throw new UsageError('halt needs a strategy name');
  return leaveCommand({ command: 'halt', name, reason: flags.reason ?? 'by the operator' }, flags);
}

/** `daemon resume NAME`: ends a strategy's halt while the daemon runs. */
export async function resume(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.resume, args);
  const [name] = words;
  if (name === undefined) throw new UsageError('resume needs a strategy name');
  return leaveCommand({ command: 'resume', name }, flags);
}

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
