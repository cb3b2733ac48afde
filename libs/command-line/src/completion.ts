export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface CompletedFlag {
  /** Without the dashes. */
  readonly name: string;
  /** What follows the flag. */
  readonly value: 'none' | 'file' | 'text';
}

export interface CompletedCommand {
  readonly name: string;
  readonly purpose: string;
  readonly flags: readonly CompletedFlag[];
}

/** A program as a shell knows it. */
export interface CompletedProgram {
  /** Names under which it is installed. */
  readonly names: readonly [string, ...string[]];
  readonly commands: readonly CompletedCommand[];
  /** Commands without flags. */
  readonly words: readonly string[];
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
  const first = [...commands.map(({ name }) => name), ...words];
  const cases = commands.map(({ name, flags }) => `    ${name}) choices='${flags.map(dashed).join(' ')}' ;;`);
  return `_${names[0]}() {
  local choices current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${[...files].join('|')}) COMPREPLY=(); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then choices='${first.join(' ')}'
  else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    completion) choices='${shells.join(' ')}' ;;
    *) choices='' ;;
  esac; fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}`;
}

function dashed({ name }: CompletedFlag): string {
  return `--${name}`;
}

const fishValues = { none: '', file: ' -r -F', text: ' -x' } as const;

function fishRules(program: string, { commands, words }: CompletedProgram): string {
  const rules = commands.flatMap(({ name, purpose, flags }) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d '${purpose.replaceAll("'", "\\'")}'`,
    ...flags.map(
      ({ name: flag, value }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag}${fishValues[value]}`,
    ),
  ]);
  return [
    `complete -c ${program} -f`,
    ...rules,
    `complete -c ${program} -n __fish_use_subcommand -a '${words.join(' ')}'`,
    `complete -c ${program} -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'`,
  ].join('\n');
}
