import { commands, type Command, type Flag } from './commands';

const table: Readonly<Record<string, Command>> = commands;

/** Help text of each command: its purpose, then its flags. */
export const commandUsage = Object.fromEntries(
  Object.entries(table).map(([name, command]) => [name, helpOf(name, command)]),
) as Readonly<Record<string, string>>;

/** Text of `daemon --help`. */
export const usage = `Runs trading strategies against one or more gateways.

${Object.values(commandUsage).join('')}
list, status, positions, logs, latency, halt, flatten, resume, reload and settle talk to the running daemon of --state-dir.
--json prints its answer as JSON.
Exit codes: 0 success, 1 failure, 2 wrong command line. See docs/daemon.md and docs/strategies.md.
`;

function helpOf(name: string, command: Command): string {
  const { words, call = words?.join(' ') ?? '', subcommands = {} } = command;
  const shown = name === 'start' ? call : [name, call].filter(Boolean).join(' ');
  const nested = Object.entries(subcommands).flatMap(([word, one]) => [
    line(6, [word, one.call ?? one.words?.join(' ') ?? ''].filter(Boolean).join(' '), one.purpose, 28),
    ...flagLines(8, one),
  ]);
  return [line(2, `daemon ${shown}`, command.purpose, 24), ...nested, ...flagLines(6, command), ''].join('\n');
}

function flagLines(indent: number, { forms = [], like = [], flags }: Command): string[] {
  const known = new Set<string>();
  const groups = like.flatMap((name) => {
    const same = Object.keys(flags).filter(
      (flag) => isDescribed(flags[flag]) && flags[flag] === table[name]?.flags[flag],
    );
    const names = same.filter((flag) => !known.has(flag));
    for (const flag of names) known.add(flag);
    return names.length === 0 ? [] : [`${' '.repeat(indent)}${listed(names)}\n${' '.repeat(28)}as for ${name}`];
  });
  const own = Object.entries(flags).filter(([name]) => !known.has(name));
  const described = own.filter(([, { help }]) => typeof help === 'string');
  const plain = own.filter(([, { help }]) => help === undefined).map(([name, flag]) => formOf(name, flag));
  return [
    ...forms.map(([form, help]) => line(indent, form, help, 28)),
    ...groups,
    ...described.map(([name, flag]) => line(indent, formOf(name, flag), flag.help ?? '', 28)),
    ...(plain.length > 0 ? [`${' '.repeat(indent)}${plain.join('  ')}`] : []),
  ];
}

function isDescribed(flag: Flag | undefined): boolean {
  return flag?.help !== undefined;
}

function formOf(name: string, { value, short }: Flag): string {
  return [`--${name}`, value].filter(Boolean).join(' ') + (short === undefined ? '' : `, -${short}`);
}

/** The names of flags, in lines of about 110 characters. */
function listed(names: readonly string[]): string {
  const lines = [''];
  for (const [index, name] of names.entries()) {
    const word = `--${name}${index < names.length - 1 ? ',' : ''}`;
    const before = lines.at(-1) ?? '';
    if (before.length + word.length > 110) lines.push(word);
    else lines[lines.length - 1] = before === '' ? word : `${before} ${word}`;
  }
  return lines.join(`\n${' '.repeat(6)}`);
}

/** What something is called, and its help from a column on: on a line of its own if the call leaves no room. */
function line(indent: number, call: string, help: string, column: number): string {
  const head = `${' '.repeat(indent)}${call}`;
  const text = help.replaceAll('\n', `\n${' '.repeat(column)}`);
  return head.length < column ? `${head.padEnd(column)}${text}` : `${head}\n${' '.repeat(column)}${text}`;
}
