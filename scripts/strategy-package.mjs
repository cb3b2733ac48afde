// The SDK as a package: what a strategy file and its test import outside of this repository. Types are written file by
// file, so no program is compiled for them.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

/** Threads of a backtest, bundled by the build of the daemon. */
const threads = ['backtest/thread/thread-main.bundle.js', 'backtest/thread/context-main.bundle.js'];
/** Sources of the daemon whose types the tests of a strategy use. */
const testingTypes = ['strategy-testing/index', 'strategy-testing/backtest', 'strategy-testing/options'];

/**
 * Writes the package. Its files keep the places that they have in the daemon, because the backtest finds its threads
 * beside itself.
 * @param root the repository, with a built daemon in dist/
 */
export async function writeStrategyPackage(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  const target = join(folder, 'dist');
  const daemon = join(root, 'apps/daemon/src');
  const sdk = join(root, 'libs/strategy/src');
  const common = {
    ...{ bundle: true, packages: 'external', platform: 'node', target: 'node20', logLevel: 'error', metafile: true },
    tsconfig: join(root, 'tsconfig.json'),
  };
  const entries = [
    { entryPoints: [join(sdk, 'index.ts')], outfile: join(target, 'index.mjs'), format: 'esm' },
    { entryPoints: [join(sdk, 'index.ts')], outfile: join(target, 'index.cjs'), format: 'cjs' },
    {
      entryPoints: [join(daemon, 'strategy-testing/index.ts')],
      outfile: join(target, 'strategy-testing/index.cjs'),
      format: 'cjs',
    },
  ];
  const bundles = await Promise.all(entries.map((entry) => build({ ...common, ...entry })));
  // One instance for both module systems: it finds its threads by its own folder.
  writeFileSync(join(target, 'strategy-testing/index.mjs'), `export { backtest } from './index.cjs';\n`);
  for (const path of threads) copy(join(root, 'dist/apps/daemon/src', path), join(target, path));
  for (const file of readdirSync(sdk).filter((name) => !name.endsWith('.spec.ts'))) {
    writeTypes(join(sdk, file), join(target, file.replace(/\.ts$/, '.d.ts')));
  }
  for (const name of [...testingTypes, 'backtest/round-trip']) {
    writeTypes(join(daemon, `${name}.ts`), join(target, `${name}.d.ts`));
  }
  copy(join(root, 'libs/strategy/README.md'), join(folder, 'README.md'));
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(root, packagesOf(bundles)), null, 2)}\n`);
}

/** The packages that the bundles import. */
function packagesOf(bundles) {
  const imports = bundles.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap((output) => output.imports),
  );
  return imports.filter(({ path, external }) => external && !isBuiltin(path)).map(({ path }) => path);
}

function manifest(root, packages) {
  const { name, version, description, license, engines } = read(join(root, 'libs/strategy/package.json'));
  const { dependencies } = read(join(root, 'package.json'));
  const entry = (path) => ({
    types: `./dist/${path}.d.ts`,
    import: `./dist/${path}.mjs`,
    require: `./dist/${path}.cjs`,
  });
  // The thread of a strategy provides the last two.
  const used = [...new Set([...packages, 'class-transformer', 'class-validator'])].sort();
  return {
    ...{ name, version, description, license, main: './dist/index.cjs', types: './dist/index.d.ts' },
    exports: { '.': entry('index'), './testing': entry('strategy-testing/index') },
    // For compilers that do not read "exports".
    typesVersions: { '*': { testing: ['./dist/strategy-testing/index.d.ts'] } },
    ...{ files: ['dist'], sideEffects: false, engines },
    dependencies: Object.fromEntries(used.map((of) => [of, dependencies[of]])),
  };
}

function writeTypes(source, path) {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(source, 'utf8'), {
    fileName: source,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, declaration: true, target: ts.ScriptTarget.ES2023 },
  });
  if (diagnostics.length > 0) {
    throw new Error(diagnostics.map(({ messageText }) => `${source}: ${String(messageText)}`).join('\n'));
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, outputText.replaceAll(/(from '\.{1,2}\/[^']+)'/g, `$1.js'`));
}

function copy(source, path) {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(source, path);
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
