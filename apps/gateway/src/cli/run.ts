import { version } from '../../../../package.json';
import { advice, completionScript, ownAnswer, parseArguments, shells, UsageError } from '@libs/command-line';
import { flagKinds, type CommandEdge, type CommandFlags } from './command';
import { commands, flagsOf, type Command } from './commands';
import { completedGateway } from './completion';
import { connect } from './connection';
import { exitCodes } from './exit-codes';
import { helpOf, usage } from './usage';

/**
 * Runs a command line. Resolves with the exit code.
 * @throws UsageError, SettingsError, GatewayReadError
 */
export async function run(args: readonly string[], edge: CommandEdge): Promise<number> {
  const [first = '', ...rest] = args;
  const command = commandOf(first);
  const own = ownAnswer(args, { version, usage, helpOf: helpOfNamed });
  if (own !== null) {
    edge.out(own.trimEnd());
    return exitCodes.fine;
  }
  if (first === 'completion') return completion(rest, edge);
  if (!command) throw unknown(first);
  const known = Object.fromEntries(flagsOf(command).map((name) => [name, flagKinds[name]]));
  const { flags, words } = parseArguments(rest, known, command.words);
  const call = { ...edge, flags: flags as CommandFlags, words };
  return command.load()({ ...call, client: connect(call) });
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function helpOfNamed(name: string): string | undefined {
  const command = commandOf(name);
  return command && helpOf(name, command);
}

function completion(args: readonly string[], { out }: CommandEdge): number {
  const shell = args.length === 1 ? shells.find((name) => name === args[0]) : undefined;
  if (shell === undefined) throw new UsageError(`completion needs a shell: ${shells.join(', ')}`);
  out(completionScript(shell, completedGateway).trimEnd());
  return exitCodes.fine;
}

function unknown(word: string): UsageError {
  const names = [
    ...Object.keys(commands),
    'backup',
    'completion',
    'help',
    'replay',
    'report',
    'schema',
    'serve',
    'try',
    'version',
  ];
  if (word.startsWith('-')) return new UsageError(`flags follow a command: ${names.join(', ')}`);
  return new UsageError(`unknown command ${word}${advice(word, names)}`);
}
