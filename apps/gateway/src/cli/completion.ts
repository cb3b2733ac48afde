import type { CompletedFlag, CompletedProgram } from '@libs/command-line';
import { commands, flagsOf } from './commands';
import { flagKinds, type FlagName } from './command';

const files: ReadonlySet<FlagName> = new Set(['key-file', 'audit-file']);

/** The gateway's program, for the completion of a shell. */
export const completedGateway: CompletedProgram = {
  names: ['gateway', 'trading-gateway'],
  commands: Object.entries(commands).map(([name, command]) => {
    return { name, purpose: command.purpose, flags: flagsOf(command).map(completedFlag) };
  }),
  words: ['backup', 'completion', 'help', 'serve', 'version'],
};

function completedFlag(name: FlagName): CompletedFlag {
  return { name, value: flagKinds[name] === 'switch' ? 'none' : files.has(name) ? 'file' : 'text' };
}
