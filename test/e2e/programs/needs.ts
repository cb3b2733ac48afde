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
 * `describe` for a suite that needs something of the machine. Where that is absent the suite is reported as not run. In CI,
 * which provides it, the suite runs and fails.
 */
export function describeWhere(isPossible: boolean): typeof describe {
  return isPossible || process.env.CI ? describe : describe.skip;
}

/** `describe` for a suite that needs programs of the system, by name; where one is absent, as {@link describeWhere}. */
export function describeWith(...needed: readonly string[]): typeof describe {
  return describeWhere(needed.every((name) => programPath(name) !== undefined));
}

/** `describe` for a suite that needs a module of Python; where it is absent, as {@link describeWhere}. */
export function describeWithPython(module: string): typeof describe {
  const { status } = spawnSync('python3', ['-c', `import ${module}`], { stdio: 'ignore' });
  return describeWhere(status === 0);
}
