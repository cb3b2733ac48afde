import { completionScript, shells, UsageError, type CompletedFlag, type CompletedProgram } from '@libs/command-line';
import { commandUsage } from './usage';

/** `daemon completion SHELL`: prints the script that completes commands and flags. */
export function completion(args: readonly string[], print: (text: string) => void): number {
  const shell = args.length === 1 ? shells.find((name) => name === args[0]) : undefined;
  if (shell === undefined) throw new UsageError(`completion needs a shell: ${shells.join(', ')}`);
  print(completionScript(shell, completedDaemon()));
  return 0;
}

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
      return { name, purpose: purposeOf(help), flags };
    }),
    words: ['completion', 'help'],
  };
}

/** The flags of a help text that have a value; a flag without one is a switch. */
function flagsIn(help: string): CompletedFlag[] {
  const found = [...help.matchAll(/--([a-z][a-z-]*) ([A-Z][A-Z0-9/]*)/g)];
  return found.map(([, name = '', what = '']) => ({ name, value: /FILE|DIR/.test(what) ? 'file' : 'text' }));
}

function purposeOf(help: string): string {
  return /^ {2}daemon \S+(?: [A-Z][A-Z[\]]*)* +(\S.*)$/m.exec(help)?.[1] ?? '';
}
