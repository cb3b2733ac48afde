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
 * `describe` for a suite that needs programs or files which are not everywhere. Without them the suite is reported as
 * not run, with its name, which says what it needs; in CI, where nothing may be absent, it runs and fails.
 */
export function describeWith(...needed: readonly string[]): typeof describe {
  const absent = needed.some((name) => (name.includes('/') ? !existsSync(name) : programPath(name) === undefined));
  return absent && !process.env.CI ? describe.skip : describe;
}
