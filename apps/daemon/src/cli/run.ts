import { nearest } from '../daemon-file/nearest';
import { UsageError } from './arguments';
import { latency, list, logs, status } from './ask.commands';
import { backtest } from './backtest.command';
import { check } from './check.command';
import { resume } from './resume.command';
import { settle } from './settle.command';
import { start } from './start.command';
import { state } from './state.command';
import { commandUsage, usage } from './usage';

type Command = (args: readonly string[]) => Promise<number | void>;

const commands: Readonly<Record<string, Command>> = {
  start,
  check,
  status,
  list,
  logs,
  latency,
  resume,
  settle,
  state,
  backtest,
};

export const commandNames = Object.keys(commands);

const helpWords = new Set(['--help', '-h']);

/** Runs a command line; without a command it is `start`. Resolves with the exit code. */
export async function run(
  args: readonly string[],
  print: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const [first = ''] = args;
  if (first === 'help' || args.some((arg) => helpWords.has(arg))) {
    const own = Object.hasOwn(commandUsage, first) ? commandUsage[first] : undefined;
    print(own ?? usage);
    return 0;
  }
  if (first === '' || first.startsWith('-')) return (await start(args)) ?? 0;
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (!command) throw new UsageError(`unknown command ${first}; did you mean ${nearest(first, commandNames)}?`);
  return (await command(args.slice(1))) ?? 0;
}
