import { nearest } from '../daemon-file/nearest';
import { UsageError } from './arguments';
import { start } from './start.command';

type Command = (args: readonly string[]) => Promise<number | void>;

const commands: Readonly<Record<string, Command>> = { start };

/** Runs a command line; without a command it is `start`. Resolves with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [first = ''] = args;
  if (first === '' || first.startsWith('--')) return (await start(args)) ?? 0;
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (!command)
    throw new UsageError(`unknown command ${first}; did you mean ${nearest(first, Object.keys(commands))}?`);
  return (await command(args.slice(1))) ?? 0;
}
