/** All that is wrong with the configuration file, at once. */
export class DaemonFileError extends Error {
  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(`${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'DaemonFileError';
  }
}
