import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describeWhere } from '../e2e/programs/needs';
import { bareEnvironment, repository } from '../e2e/programs/started-program';

const source = join(repository, 'python');
const needs = 'import sys, numpy, httpx, hatchling; sys.exit(sys.version_info < (3, 10))';

/** Whether {@link pythonEnvironment} can build it here. */
export const hasNeeds = spawnSync('python3', ['-c', needs], { stdio: 'ignore' }).status === 0;

/** `describe` where Python 3.10 or newer is, with what the package needs and hatchling, which builds it. In CI it has to be there. */
export const describeWithPackage = describeWhere(hasNeeds);

const hasUv = spawnSync('uv', ['--version'], { stdio: 'ignore' }).status === 0;

/** `describe` where uv is. In CI it has to be there. */
export const describeWithUv = describeWhere(hasUv && hasNeeds);

/** The versions of Python that the package names and this machine has, with their programs. */
export function pythonVersions(): (readonly [version: string, program: string])[] {
  const named = readFileSync(join(source, 'pyproject.toml'), 'utf8').matchAll(/Python :: (3\.\d+)"/g);
  // uv searches PATH, where pyenv shows one version only.
  const pyenv = join(homedir(), '.pyenv/versions');
  const places = existsSync(pyenv) ? readdirSync(pyenv).map((name) => join(pyenv, name, 'bin')) : [];
  const env = { ...bareEnvironment(), PATH: [process.env['PATH'], ...places].join(':') };
  return [...named].flatMap(([, version = '']) => {
    const { status, stdout } = spawnSync('uv', ['python', 'find', '--offline', version], { encoding: 'utf8', env });
    return status === 0 ? [[version, stdout.trim()] as const] : [];
  });
}

/** The folder of the package as its wheel installs it, without any index. */
export function installedPackage(): string {
  return join(builtPackage(), 'site');
}

/** The wheel of the package. */
export function packageWheel(): string {
  const folder = join(builtPackage(), 'wheel');
  return join(folder, readdirSync(folder)[0] ?? '');
}

/** Built once for each state of its files. */
function builtPackage(): string {
  const place = join(repository, '.build/python-package', stateOf(source));
  if (existsSync(place)) return place;
  const made = `${place}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  python('-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', '--no-index', '-w', `${made}/wheel`, source);
  const [wheel = ''] = readdirSync(`${made}/wheel`);
  const target = ['--target', `${made}/site`, `${made}/wheel/${wheel}`];
  python('-m', 'pip', 'install', '-q', '--no-deps', '--no-index', '--disable-pip-version-check', ...target);
  rmSync(place, { recursive: true, force: true });
  renameSync(made, place);
  return place;
}

/** Environment of a Python program that uses the installed package; its keys are in `folder`. */
export function pythonEnvironment(folder: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const path = [installedPackage(), join(source, 'tests')].join(':');
  return { ...bareEnvironment(), PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1', GATEWAY_STATE_DIR: folder, ...more };
}

/** @throws Error with its output if it fails */
function python(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`python3 ${args.join(' ')}: ${stdout}${stderr}`);
}

function stateOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
