import { completionScript, shells, UsageError, type CompletedFlag, type CompletedProgram } from '@libs/command-line';
import { timeframes } from '../daemon-file/timeframes';
import { metrics } from '../optimize/metric';
import { commandUsage } from './usage';

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

/** The daemon's program as its help describes it, so that every flag of the help is completed. */
function completedDaemon(): CompletedProgram {
  const values = new Map(
    Object.values(commandUsage)
      .flatMap(flagsIn)
      .map(({ name, value }) => [name, value]),
  );
  const described = Object.entries(commandUsage).filter(([name]) => name !== 'completion');
  return {
    names: ['daemon', 'trading-daemon'],
    commands: described.map(([name, help]) => {
      const names = new Set([...help.matchAll(/--([a-z][a-z-]*)/g)].map(([, flag = '']) => flag));
      const flags = [...names].map((flag) => ({ name: flag, value: values.get(flag) ?? ('none' as const) }));
      const own = { name, purpose: purposeOf(help), flags, words: subcommandsIn(help) };
      return /^ {2}daemon \S+ \[?NAME/m.test(help) ? { ...own, wordsFrom: strategyNames } : own;
    }),
    words: { completion: shells, help: Object.keys(commandUsage), version: [] },
  };
}

/** The flags of a help text that have a value; a flag without one is a switch. */
function flagsIn(help: string): CompletedFlag[] {
  const found = [...help.matchAll(/--([a-z][a-z-]*) ([A-Z][A-Z0-9/]*)/g)];
  const named = found.map(([, name = '', what = '']): CompletedFlag => {
    return { name, value: /FILE|DIR/.test(what) ? 'file' : 'text' };
  });
  return [...named, ...Object.entries(fixedValues).map(([name, value]) => ({ name, value }))];
}

/** Words at the head of the indented lines of a help text, as of `data`. */
function subcommandsIn(help: string): string[] {
  if (!/^ {2}daemon \S+ COMMAND/m.test(help)) return [];
  return [...help.matchAll(/^ {6}([a-z]+) /gm)].map(([, word = '']) => word);
}

function purposeOf(help: string): string {
  return /^ {2}daemon \S+(?: [A-Z][A-Z[\]]*)* +(\S.*)$/m.exec(help)?.[1] ?? '';
}
