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
