import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { build, type BuildFailure, type BuildOptions, type Plugin } from 'esbuild';
import { keptIndicators } from './kept-indicators';
import { StrategyRefusedError } from './strategy-thread';

/** Imports of a strategy file that its thread provides. */
const provided = ['@libs/strategy', 'class-transformer', 'class-validator'];
const daemonModules = [join(__dirname, '../../../../node_modules'), join(__dirname, '../../../../../node_modules')];

const mebibyte = 1_048_576;
/** Largest file of a strategy, and largest bundle of it and what it imports, with its source map. */
const [mostSourceBytes, mostBundleBytes] = [2 * mebibyte, 16 * mebibyte];

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
  /** The code for a screening, of {@link bundleForScreening}; omitted: `code`. */
  readonly screenedCode?: string;
}

/**
 * A TypeScript or JavaScript strategy file and what it imports, as one text.
 * @throws Error with file, line and column of each problem
 */
export async function bundleStrategy(path: string): Promise<Bundle> {
  return bundleWith(path, []);
}

/**
 * As {@link bundleStrategy}, also with the code for a screening. It leaves the daemon's own indicators to the context, which keeps
 * them from one set to the next: classes that are made anew for each set make every call of them slow.
 */
export async function bundleForScreening(path: string): Promise<Bundle> {
  const [bundle, screened] = await Promise.all([bundleWith(path, []), bundleWith(path, [keptIndicators])]);
  return { ...bundle, screenedCode: screened.code };
}

async function bundleWith(path: string, plugins: Plugin[]): Promise<Bundle> {
  if (!existsSync(path)) throw new StrategyRefusedError(`strategy file not found: ${path}`);
  const facts = statSync(path);
  if (!facts.isFile()) throw new StrategyRefusedError(`${path} is not a strategy file`);
  requireSize(path, facts.size, mostSourceBytes);
  const file = `${path.replace(/\.[cm]?[jt]s$/, '')}.bundle.js`;
  // "neutral" has no Node modules, so a strategy that imports the file system or the network fails to bundle.
  const code = await textOf({
    ...common,
    entryPoints: [path],
    outfile: file,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    external: provided,
    plugins,
    // An import whose name is computed becomes a call of the strategy's own `require`, which knows no module of Node.
    supported: { 'dynamic-import': false },
  });
  requireSize(`${path} with its imports`, code.length, mostBundleBytes);
  return { code, file, source: path };
}

/** @throws StrategyRefusedError for a text that would take the bundler and each thread seconds */
function requireSize(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  const [found, limit] = [bytes, most].map((each) => Math.ceil(each / mebibyte));
  throw new StrategyRefusedError(`${what} has ${found} MiB, and at most ${limit} MiB is taken`);
}

/** A file of the daemon that is the first to run in a thread or in a context. */
interface Entry {
  /** Without its ending: the source under test, its translation otherwise. */
  readonly path: string;
  /** `neutral` for code that runs without Node's modules. */
  readonly platform: 'node' | 'neutral';
  /** Fields of a package's manifest that name its entry; `main` if absent. esbuild bundles only the used parts of a `module`. */
  readonly mainFields?: string[];
  /** Set if many threads start with it: it is then kept small. */
  readonly isLean?: boolean;
}

/** Live, the strategies' thread; of a backtest, its thread and the context of its strategy. */
export const entries = {
  worker: {
    path: join(__dirname, 'worker/worker-main'),
    platform: 'node',
    mainFields: ['module', 'main'],
    isLean: true,
  },
  backtest: {
    path: join(__dirname, '../backtest/thread/thread-main'),
    platform: 'node',
    mainFields: ['module', 'main'],
  },
  context: { path: join(__dirname, '../backtest/thread/context-main'), platform: 'neutral' },
} satisfies Record<string, Entry>;

/** The entry of the worker threads as one text; from the sources under test, from their translation otherwise. */
export async function bundleWorker(): Promise<string> {
  return bundleEntry(entries.worker);
}

/** An entry and what it imports, as one text: the one that {@link writeEntries} has left, or else a new one. */
export async function bundleEntry(entry: Entry): Promise<string> {
  const made = bundlePath(entry);
  return existsSync(made) ? readFile(made, 'utf8') : textOfEntry(entry);
}

/**
 * Bundles all entries and leaves them beside their translation: a part of the build, so that no start has to do it.
 * @param sources the folder of the repository: bundled from their sources, modules call each other without detours
 */
export async function writeEntries(sources: string): Promise<void> {
  for (const entry of Object.values(entries)) {
    const path = join(sources, relative(join(__dirname, '../../../..'), entry.path));
    await writeFile(bundlePath(entry), await textOfEntry({ ...entry, path }, join(sources, 'libs')));
  }
}

function bundlePath({ path }: Entry): string {
  return `${path}.bundle.js`;
}

async function textOfEntry(
  { path, platform, mainFields = ['main'], isLean = false }: Entry,
  libs = join(__dirname, '../../../../libs'),
): Promise<string> {
  const entry = ['ts', 'js'].map((end) => `${path}.${end}`).find(existsSync);
  if (entry === undefined) throw new Error(`${path} is missing from this build`);
  return textOf({
    ...common,
    entryPoints: [entry],
    outfile: bundlePath({ path, platform }),
    platform,
    sourcemap: false,
    // The stack of a strict function shows neither it nor its `this` to a strategy below it.
    banner: { js: '"use strict";' },
    mainFields,
    alias: librariesIn(libs),
    // Names stay: those of classes and functions are part of messages.
    ...(isLean ? { plugins: [lateValidators], minifyWhitespace: true, minifySyntax: true } : {}),
  });
}

/** Where the libraries of this repository are, by the names under which they are imported. */
function librariesIn(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [`@libs/${name}`, join(folder, name, 'src')]));
}

async function textOf(options: BuildOptions): Promise<string> {
  try {
    const { outputFiles } = await build({ ...options, write: false });
    const [file] = outputFiles;
    if (!file) throw new Error('the bundler produced no output');
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
  if (isBuiltin(name))
    return `a strategy cannot import ${name}: a strategy has no access to files, the network or Node modules`;
  const remedy = name.startsWith('.')
    ? 'check that the file exists'
    : 'install it beside the strategy file, or see docs/strategies.md for the modules that the daemon provides';
  return `cannot find ${name}; ${remedy}`;
}

const namespace = 'late-validators';

/**
 * Leaves the packages behind most string rules of class-validator out of a bundle: they are four fifths of it, and few
 * strategies use one. A rule loads its package when it is checked for the first time. `workerData.packages` of the thread
 * is the file that imports them.
 */
const lateValidators: Plugin = {
  name: namespace,
  setup: (build) => {
    build.onResolve({ filter: /^(validator|libphonenumber-js)(\/|$)/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: lateModule(path), loader: 'js' }));
  },
};

/** A module with functions of the same names. An import of any other name fails the build. */
function lateModule(path: string): string {
  const telephones = path.startsWith('libphonenumber-js');
  const call = telephones
    ? 'export const parsePhoneNumber = (...given) => loaded().parsePhoneNumber(...given);'
    : 'export default (...given) => loaded().default(...given);';
  return `import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
const loaded = () => createRequire(workerData.packages)(${JSON.stringify(path)});
${call}
`;
}
