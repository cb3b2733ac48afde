const helpWords = new Set(['--help', '-h']);
const versionWords = new Set(['version', '--version', '-v']);

/** What both programs answer themselves. */
export interface OwnTexts {
  readonly version: string;
  /** Help of the whole program. */
  readonly usage: string;
  /** Help of one command; undefined if there is none of that name. */
  readonly helpOf: (command: string) => string | undefined;
}

/**
 * The help or the version, if a command line asks for it: `--help`, `help`, `help COMMAND`, `COMMAND --help`, `--version`, `version`.
 * @returns null for every other line
 */
export function ownAnswer(args: readonly string[], { version, usage, helpOf }: OwnTexts): string | null {
  const [first = '', second = ''] = args;
  if (first === 'help' || args.some((arg) => helpWords.has(arg))) {
    return helpOf(first === 'help' ? second : first) ?? usage;
  }
  return versionWords.has(first) ? version : null;
}
