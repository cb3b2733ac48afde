import { spawnSync } from 'node:child_process';
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
 * `describe` for a suite that needs programs, by name, or files, by path, which are not everywhere. Without them the
 * suite is reported as not run, by its name, which says what it needs. In CI, which installs the programs, a suite that
 * lacks one runs and fails; data files are nothing it could install.
 */
export function describeWith(...needed: readonly string[]): typeof describe {
  const absent = needed.filter((name) => (name.includes('/') ? !existsSync(name) : programPath(name) === undefined));
  const isRequired = Boolean(process.env.CI) && absent.every((name) => !name.includes('/'));
  return absent.length === 0 || isRequired ? describe : describe.skip;
}

/** `describe` for a suite that needs a module of Python; where it is absent, as {@link describeWith}. */
export function describeWithPython(module: string): typeof describe {
  const { status } = spawnSync('python3', ['-c', `import ${module}`], { stdio: 'ignore' });
  return status === 0 || process.env.CI ? describe : describe.skip;
}
