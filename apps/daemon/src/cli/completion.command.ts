import { completionScript, shells, UsageError, type CompletedFlag, type CompletedProgram } from '@libs/command-line';
import { timeframes } from '../daemon-file/timeframes';
import { metrics } from '../optimize/metric';
import { commands, type Command, type Flag } from './commands';

/** `daemon completion SHELL`: prints the script that completes commands and flags. */
export function completion(args: readonly string[], print: (text: string) => void): number {
  const shell = args.length === 1 ? shells.find((name) => name === args[0]) : undefined;
  if (shell === undefined) throw new UsageError(`completion needs a shell: ${shells.join(', ')}`);
  print(completionScript(shell, completedDaemon()));
  return 0;
}

/** The values of flags that have a few. */
const fixedValues: Readonly<Record<string, readonly string[]>> = {
  level: ['debug', 'info', 'warning', 'error'],
  metric: Object.keys(metrics),
  timeframe: timeframes,
  'limit-fill': ['through', 'touch'],
  asks: ['ticks', 'spread'],
};

/** The names of what a running daemon has deployed; nothing without one. */
const strategyNames = `daemon list --json 2>/dev/null | sed -n 's/^ *"name": "\\(.*\\)",*$/\\1/p'`;

const table: Readonly<Record<string, Command>> = commands;

/** The daemon's program, with every flag and word of its commands. */
function completedDaemon(): CompletedProgram {
  const described = Object.entries(table).filter(([name]) => name !== 'completion');
  return {
    names: ['daemon', 'trading-daemon'],
    commands: described.map(([name, command]) => {
      const words = Object.keys(command.subcommands ?? {});
      const own = { name, purpose: command.purpose.split('\n', 1)[0] ?? '', flags: flagsOf(command), words };
      return /^\[?NAME/.test(command.words?.[0] ?? '') ? { ...own, wordsFrom: strategyNames } : own;
    }),
    words: { completion: shells, help: Object.keys(commands), version: [] },
  };
}

/** The flags of a command and its subcommands. */
function flagsOf({ flags, subcommands = {} }: Command): CompletedFlag[] {
  const all = [flags, ...Object.values(subcommands).map((one) => one.flags)].flatMap((one) => Object.entries(one));
  return [...new Map(all)].map(([name, flag]) => ({ name, value: fixedValues[name] ?? valueOf(flag) }));
}

function valueOf({ kind, value }: Flag): CompletedFlag['value'] {
  if (kind === 'switch') return 'none';
  return /FILE|DIR/.test(value) ? 'file' : 'text';
}
