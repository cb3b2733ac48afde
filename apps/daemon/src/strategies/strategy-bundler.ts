import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { build, type BuildFailure, type BuildOptions } from 'esbuild';
import { StrategyRefusedError } from './strategy-thread';

/** Imports of a strategy file that its thread provides. */
const provided = ['@libs/strategy', 'class-transformer', 'class-validator'];
const daemonModules = [join(__dirname, '../../../../node_modules'), join(__dirname, '../../../../../node_modules')];

const common: BuildOptions = {
  bundle: true,
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  write: false,
  logLevel: 'silent',
  // A strategy outside this repository may use what the daemon has installed.
  nodePaths: daemonModules,
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
};

export interface Bundle {
  readonly code: string;
  /** Name under which the code runs, so that its stack traces resolve to the original file. */
  readonly file: string;
  /** The strategy file itself. */
  readonly source: string;
}

/**
 * A TypeScript or JavaScript strategy file and what it imports, as one text.
 * @throws Error with file, line and column of each problem
 */
export async function bundleStrategy(path: string): Promise<Bundle> {
  if (!existsSync(path)) throw new StrategyRefusedError(`there is no strategy file ${path}`);
  const file = `${path.replace(/\.[cm]?[jt]s$/, '')}.bundle.js`;
  // "neutral" knows no Node modules: a strategy that imports the file system or the network does not bundle.
  const code = await textOf({
    ...common,
    entryPoints: [path],
    outfile: file,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    external: provided,
  });
  return { code, file, source: path };
}

/** The entry of the worker threads as one text; from the sources under test, from their translation otherwise. */
export async function bundleWorker(): Promise<string> {
  const entry = ['ts', 'js'].map((end) => join(__dirname, `worker/worker-main.${end}`)).find(existsSync);
  if (entry === undefined) throw new Error('the worker entry is missing from this build');
  return textOf({
    ...common,
    entryPoints: [entry],
    outfile: join(__dirname, 'worker/worker-main.bundle.js'),
    platform: 'node',
    sourcemap: false,
    alias: { '@libs/strategy': join(__dirname, '../../../../libs/strategy/src') },
  });
}

async function textOf(options: BuildOptions): Promise<string> {
  try {
    const { outputFiles } = await build({ ...options, write: false });
    const [file] = outputFiles;
    if (!file) throw new Error('nothing was bundled');
    return file.text;
  } catch (error) {
    throw isBuildFailure(error) ? new StrategyRefusedError(error.errors.map(describe).join('\n')) : error;
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

/** A problem with where it is and, when it is an import, what can be done about it. */
function describe({ text, location }: BuildFailure['errors'][number]): string {
  const [, name] = /^Could not resolve "(.+)"$/.exec(text) ?? [];
  const problem = name === undefined ? text : unresolved(name);
  return location ? `${resolve(location.file)}:${location.line}:${location.column + 1} ${problem}` : problem;
}

function unresolved(name: string): string {
  if (isBuiltin(name)) return `a strategy cannot import ${name}: it has no files, no network and nothing else of Node`;
  const remedy = name.startsWith('.')
    ? 'is there such a file?'
    : 'install it beside the strategy file, or see docs/strategies.md for what the daemon brings along';
  return `cannot find ${name}; ${remedy}`;
}
