import { nearest } from '../daemon-file/nearest';
import { UsageError } from './arguments';
import { latency, list, logs, status } from './ask.commands';
import { backtest } from './backtest.command';
import { check } from './check.command';
import { resume } from './resume.command';
import { start } from './start.command';
import { state } from './state.command';

type Command = (args: readonly string[]) => Promise<number | void>;

const commands: Readonly<Record<string, Command>> = {
  start,
  check,
  status,
  list,
  logs,
  latency,
  resume,
  state,
  backtest,
};

/** Runs a command line; without a command it is `start`. Resolves with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [first = ''] = args;
  if (first === '' || first.startsWith('--')) return (await start(args)) ?? 0;
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (!command)
    throw new UsageError(`unknown command ${first}; did you mean ${nearest(first, Object.keys(commands))}?`);
  return (await command(args.slice(1))) ?? 0;
}
