import { commands, flagsOf } from './commands';
import { flagKinds, type FlagName } from './command';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Names under which the program is installed. */
const programs = ['gateway', 'trading-gateway'];
const words = [...Object.keys(commands), 'completion', 'help', 'serve'];
const files: ReadonlySet<FlagName> = new Set(['key-file', 'audit-file']);

/** The script that completes commands and flags in a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell]();
}

const scripts: Readonly<Record<Shell, () => string>> = {
  bash: () => `${bashFunction()}\ncomplete -o default -F _gateway ${programs.join(' ')}\n`,
  // zsh runs completion functions of bash.
  zsh: () =>
    `autoload -U +X bashcompinit && bashcompinit\n${bashFunction()}\ncomplete -o default -F _gateway ${programs.join(' ')}\n`,
  fish: () => `${programs.map(fishRules).join('\n')}\n`,
};

function bashFunction(): string {
  const cases = Object.entries(commands).map(([name, command]) => {
    const flags = flagsOf(command).map((flag) => `--${flag}`);
    return `    ${name}) choices='${flags.join(' ')}' ;;`;
  });
  return `_gateway() {
  local choices current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${[...files].map((flag) => `--${flag}`).join('|')}) COMPREPLY=(); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then choices='${words.join(' ')}'
  else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    completion) choices='${shells.join(' ')}' ;;
    *) choices='' ;;
  esac; fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}`;
}

function fishRules(program: string): string {
  const rules = Object.entries(commands).flatMap(([name, command]) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d '${command.purpose.replaceAll("'", "\\'")}'`,
    ...flagsOf(command).map((flag) => {
      const value = flagKinds[flag] === 'switch' ? '' : files.has(flag) ? ' -r -F' : ' -x';
      return `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag}${value}`;
    }),
  ]);
  return [
    `complete -c ${program} -f`,
    ...rules,
    `complete -c ${program} -n __fish_use_subcommand -a 'completion help serve'`,
    `complete -c ${program} -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'`,
  ].join('\n');
}
