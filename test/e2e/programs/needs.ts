import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of the system is, or undefined. */
function programPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** @throws Error naming the program that is not here */
export function requireProgram(name: string): string {
  const path = programPath(name);
  if (path === undefined) throw new Error(`this suite needs ${name}, which is not on the PATH`);
  return path;
}

/**
 * `describe` for a suite that needs programs which are not everywhere. Without them the suite is reported as not run, by
 * its name, which says what it needs; in CI, which installs them, it runs and fails.
 */
export function describeWith(...programs: readonly string[]): typeof describe {
  const isComplete = programs.every((name) => programPath(name) !== undefined);
  return isComplete || process.env.CI ? describe : describe.skip;
}

/** `describe` for a suite over recorded data that lies beside the repository. Nothing installs that, so CI may lack it too. */
export function describeWithData(...files: readonly string[]): typeof describe {
  return files.every((file) => existsSync(file)) ? describe : describe.skip;
}
