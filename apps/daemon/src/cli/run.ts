import { createRequire } from 'node:module';
import { advice, ownAnswer, UsageError } from '@libs/command-line';
import { version } from '../../../../package.json';
import type * as Apply from './apply.command';
import type * as Ask from './ask.commands';
import type * as Backtest from './backtest.command';
import type * as Check from './check.command';
import type * as Completion from './completion.command';
import type * as Compare from './compare.command';
import type * as Data from './data.command';
import type * as Drain from './drain.command';
import type * as Flatten from './flatten.command';
import type * as Hosts from './hosts.command';
import type * as Move from './move.command';
import type * as New from './new.command';
import type * as Optimize from './optimize.command';
import type * as Reload from './reload.command';
import type * as Report from './report.command';
import type * as Schema from './schema.command';
import type * as Start from './start.command';
import type * as State from './state.command';
import type * as Strategy from './strategy.commands';
import type * as Trades from './trades.command';
import { commands, type CommandName } from './commands';
import { commandUsage, usage } from './usage';

type Command = (args: readonly string[], print: (text: string) => void) => Promise<number | void>;

const load = createRequire(__filename);

/** Each loads what it needs when it is run: a backtest needs neither the HTTP framework nor the store. */
const runs: Readonly<Record<CommandName, Command>> = {
  start,
  check: (args) => (load('./check.command') as typeof Check).check(args),
  status: (args) => (load('./ask.commands') as typeof Ask).status(args),
  list: (args) => (load('./ask.commands') as typeof Ask).list(args),
  positions: (args) => (load('./ask.commands') as typeof Ask).positions(args),
  logs: (args) => (load('./ask.commands') as typeof Ask).logs(args),
  latency: (args) => (load('./ask.commands') as typeof Ask).latency(args),
  halt: (args) => (load('./strategy.commands') as typeof Strategy).halt(args),
  flatten: (args) => (load('./flatten.command') as typeof Flatten).flatten(args),
  resume: (args) => (load('./strategy.commands') as typeof Strategy).resume(args),
  reload: (args) => (load('./reload.command') as typeof Reload).reload(args),
  settle: (args) => (load('./strategy.commands') as typeof Strategy).settle(args),
  trades: (args) => (load('./trades.command') as typeof Trades).trades(args),
  report: (args) => (load('./report.command') as typeof Report).report(args),
  state: (args) => (load('./state.command') as typeof State).state(args),
  hosts: (args) => (load('./hosts.command') as typeof Hosts).hosts(args),
  apply: (args) => (load('./apply.command') as typeof Apply).apply(args),
  drain: (args) => (load('./drain.command') as typeof Drain).drain(args),
  move: (args) => (load('./move.command') as typeof Move).move(args),
  new: (args) => (load('./new.command') as typeof New).create(args),
  backtest: (args) => (load('./backtest.command') as typeof Backtest).backtest(args),
  compare: (args) => (load('./compare.command') as typeof Compare).compare(args),
  optimize: (args) => (load('./optimize.command') as typeof Optimize).optimize(args),
  data: (args) => (load('./data.command') as typeof Data).data(args),
  schema: (args, print) => Promise.resolve((load('./schema.command') as typeof Schema).schema(args, print)),
  completion: (args, print) =>
    Promise.resolve((load('./completion.command') as typeof Completion).completion(args, print)),
};

export const commandNames = Object.keys(commands) as readonly CommandName[];

function start(args: readonly string[]): Promise<number | void> {
  return (load('./start.command') as typeof Start).start(args);
}

/** Runs a command line; without a command it is `start`. Resolves with the exit code. */
export async function run(
  args: readonly string[],
  print: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const [first = ''] = args;
  const named = (name: string) => commandNames.find((one) => one === name);
  const helpOf = (name: string) => commandUsage[named(name) ?? ''];
  const own = ownAnswer(args, { version, usage, helpOf });
  if (own !== null) {
    print(`${own.trimEnd()}\n`);
    return 0;
  }
  if (first === '' || first.startsWith('-')) return (await start(args)) ?? 0;
  const name = named(first);
  if (!name) throw new UsageError(`unknown command ${first}${advice(first, commandNames)}`);
  return (await runs[name](args.slice(1), print)) ?? 0;
}
