import { shells, type CompletedFlag, type CompletedProgram } from '@libs/command-line';
import { commands, flagsOf } from './commands';
import { schemaNames } from './usage';
import { flagKinds, type FlagName } from './command';

const files: ReadonlySet<FlagName> = new Set(['key-file', 'audit-file']);

/** The gateway's program, for the completion of a shell. */
export const completedGateway: CompletedProgram = {
  names: ['gateway', 'trading-gateway'],
  commands: Object.entries(commands).map(([name, command]) => {
    const words = name === 'notifications' ? ['retry', 'drop'] : [];
    return { name, purpose: command.purpose, flags: flagsOf(command).map(completedFlag), words };
  }),
  words: {
    backup: ['create', 'verify', 'restore'],
    completion: shells,
    help: Object.keys(commands),
    replay: [],
    schema: schemaNames,
    report: [],
    serve: [],
    try: [],
    version: [],
  },
};

function completedFlag(name: FlagName): CompletedFlag {
  return { name, value: flagKinds[name] === 'switch' ? 'none' : files.has(name) ? 'file' : 'text' };
}
