import { version } from '../../../../package.json';
import { completionScript, nearest, parseArguments, shells, UsageError } from '@libs/command-line';
import { flagKinds, type CommandEdge, type CommandFlags } from './command';
import { commands, flagsOf, type Command } from './commands';
import { completedGateway } from './completion';
import { connect } from './connection';
import { exitCodes } from './exit-codes';
import { helpOf, usage } from './usage';

const versionWords = new Set(['version', '--version', '-v']);
const helpWords = new Set(['--help', '-h']);

/**
 * Runs a command line. Resolves with the exit code.
 * @throws UsageError, SettingsError, GatewayReadError
 */
export async function run(args: readonly string[], edge: CommandEdge): Promise<number> {
  const [first = '', ...rest] = args;
  const command = commandOf(first);
  if (first === 'help' || args.some((arg) => helpWords.has(arg))) {
    const named = first === 'help' ? (rest[0] ?? '') : first;
    const asked = commandOf(named);
    edge.out((asked ? helpOf(named, asked) : usage).trimEnd());
    return exitCodes.fine;
  }
  if (versionWords.has(first)) {
    edge.out(version);
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

function completion(args: readonly string[], { out }: CommandEdge): number {
  const shell = args.length === 1 ? shells.find((name) => name === args[0]) : undefined;
  if (shell === undefined) throw new UsageError(`completion needs a shell: ${shells.join(', ')}`);
  out(completionScript(shell, completedGateway).trimEnd());
  return exitCodes.fine;
}

function unknown(word: string): UsageError {
  const names = [...Object.keys(commands), 'backup', 'completion', 'help', 'replay', 'serve', 'version'];
  if (word.startsWith('-')) return new UsageError(`flags follow a command: ${names.join(', ')}`);
  return new UsageError(`unknown command ${word}; did you mean ${nearest(word, names)}?`);
}
