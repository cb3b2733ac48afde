import { parseArguments, UsageError } from '@libs/command-line';
import { askingFlags } from './control-client';
import { leaveCommand } from './leave-command';

const settleFlags = { ...askingFlags, order: 'ticket', undone: 'switch' } as const;

/** `daemon settle NAME KEY`: settles an in-flight request whose outcome the daemon cannot resolve. */
export async function settle(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, settleFlags, ['NAME', 'KEY']);
  const [name, key] = words;
  if (name === undefined || key === undefined)
    throw new UsageError('settle needs a strategy name and an idempotency key');
  const { order = null, undone = false } = flags;
  if ((order === null) !== undone) throw new UsageError('settle needs either --order TICKET or --undone');
  return leaveCommand({ command: 'settle', name, key, order }, flags);
}
