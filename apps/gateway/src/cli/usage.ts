import { commands, type Command } from './commands';
import { shells } from '@libs/command-line';

/** Files that `gateway schema` prints a JSON Schema of. */
export const schemaNames = ['notifier', 'signals', 'symbols'] as const;

/** Where the purposes begin. */
const column = 24;

/** Entry of a command in the help: its purpose, then its own flags. */
function usageOf(name: string, { words, flags, purpose }: Command): string {
  const call = `  gateway ${[name, ...words].join(' ')}`;
  const head = call.length < column ? call.padEnd(column) : `${call}\n${' '.repeat(column)}`;
  const lines = Object.entries(flags).map(([flag, help]) => `      --${flag} ${help}`);
  return [`${head}${purpose}`, ...lines, ''].join('\n');
}

const commonFlags = `      --url URL           its address (GATEWAY_URL, or 127.0.0.1 with TERMINAL_API_PORT)
      --key-file FILE     file with the key (API_KEY, or the file that API_KEY_FILE names)
      --json              print the complete answer as JSON
`;

/** Text of `gateway COMMAND --help`. */
export function helpOf(name: string, command: Command): string {
  return `${usageOf(name, command)}${commonFlags}`;
}

/** Text of `gateway --help`. */
export const usage = `Serves one trading account over HTTP, and queries a running gateway.

  gateway [serve]       serve until SIGTERM or Ctrl-C; all settings are environment variables
  gateway try           serve a simulated account with a generated key, and print a first order
${Object.entries(commands)
  .map(([name, command]) => usageOf(name, command))
  .join('')}  gateway backup create DIR
                        back up the state, also while the gateway runs; \`gateway backup --help\`: verify, restore
  gateway replay FILE   repeat the decisions of a recording (TRADE_RECORDING), and compare them
  gateway schema ${schemaNames.join('|')}
                        print the JSON Schema of NOTIFIER_FILE, SIGNALS_FILE or SIM_SYMBOLS, for an editor
  gateway report        show what a report of a defect would contain; --output FILE writes it to a zip file
  gateway completion ${shells.join('|')}
                        print the completion script of a shell
  gateway --version     print the version

Flags of every command that queries a gateway:
${commonFlags}Exit codes: 0 success, 1 the answer needs attention, 2 wrong command line, 3 no answer, 4 the key is not accepted.
See docs/operation.md.
`;
