export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface CompletedFlag {
  /** Without the dashes. */
  readonly name: string;
  /** What follows the flag; a list has all its values. */
  readonly value: 'none' | 'file' | 'text' | readonly string[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly purpose: string;
  readonly flags: readonly CompletedFlag[];
  /** Words that may follow the command. */
  readonly words?: readonly string[];
  /** Shell command whose lines may follow the command, such as the names of strategies. */
  readonly wordsFrom?: string;
}

/** A program as a shell knows it. */
export interface CompletedProgram {
  /** Names under which it is installed. */
  readonly names: readonly [string, ...string[]];
  readonly commands: readonly CompletedCommand[];
  /** Commands without flags, and the words that may follow each. */
  readonly words: Readonly<Record<string, readonly string[]>>;
}

/** The script that completes the commands and flags of a program in a shell. */
export function completionScript(shell: Shell, program: CompletedProgram): string {
  return scripts[shell](program);
}

const scripts: Readonly<Record<Shell, (program: CompletedProgram) => string>> = {
  bash: (program) => `${bashFunction(program)}\n${bashRule(program)}\n`,
  // zsh runs completion functions of bash. Its own completion, which that needs, is not loaded without a line in .zshrc.
  zsh: (program) => `${zshCompletion}\n${bashFunction(program)}\n${bashRule(program)}\n`,
  fish: (program) => `${program.names.map((name) => fishRules(name, program)).join('\n')}\n`,
};

const zshCompletion = `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -i -D; }
autoload -U +X bashcompinit && bashcompinit`;

function bashRule({ names }: CompletedProgram): string {
  return `complete -o default -F _${names[0]} ${names.join(' ')}`;
}

function bashFunction({ names, commands, words }: CompletedProgram): string {
  const files = new Set(commands.flatMap(({ flags }) => flags.filter(({ value }) => value === 'file')).map(dashed));
  const first = [...commands.map(({ name }) => name), ...Object.keys(words)];
  const cases = commands.map(({ name, flags, words: own = [], wordsFrom }) => {
    const fixed = [...own, ...flags.map(dashed)].join(' ');
    return `    ${name}) choices=${wordsFrom === undefined ? `'${fixed}'` : `"${fixed} $(${wordsFrom})"`} ;;`;
  });
  const values = new Map(
    commands.flatMap(({ flags }) =>
      flags.flatMap((flag) => (typeof flag.value === 'string' ? [] : [[dashed(flag), flag.value.join(' ')] as const])),
    ),
  );
  const wordCases = Object.entries(words).map(([word, next]) => `    ${word}) choices='${next.join(' ')}' ;;\n`);
  const valueCases = [...values].map(
    ([flag, list]) => `    ${flag}) COMPREPLY=($(compgen -W '${list}' -- "$current")); return ;;\n`,
  );
  return `_${names[0]}() {
  local choices current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${[...files].join('|')}) COMPREPLY=(); return ;;
${valueCases.join('')}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then choices='${first.join(' ')}'
  else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
${wordCases.join('')}    *) choices='' ;;
  esac; fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}`;
}

function dashed({ name }: CompletedFlag): string {
  return `--${name}`;
}

const fishValues = { none: '', file: ' -r -F', text: ' -x' } as const;

function fishValue(value: CompletedFlag['value']): string {
  return typeof value === 'string' ? fishValues[value] : ` -x -a '${value.join(' ')}'`;
}

function fishRules(program: string, { commands, words }: CompletedProgram): string {
  const rules = commands.flatMap(({ name, purpose, flags, words: own = [], wordsFrom }) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d '${purpose.replaceAll("'", "\\'")}'`,
    ...flags.map(
      ({ name: flag, value }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag}${fishValue(value)}`,
    ),
    ...[own.join(' '), wordsFrom === undefined ? '' : `(${wordsFrom} | string split ' ')`]
      .filter((choices) => choices !== '')
      .map((choices) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -a "${choices}"`),
  ]);
  return [
    `complete -c ${program} -f`,
    ...rules,
    `complete -c ${program} -n __fish_use_subcommand -a '${Object.keys(words).join(' ')}'`,
    ...Object.entries(words).map(
      ([word, next]) => `complete -c ${program} -n '__fish_seen_subcommand_from ${word}' -a '${next.join(' ')}'`,
    ),
  ].join('\n');
}
