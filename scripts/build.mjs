// `npm run build`: compiles apps and libs into dist/, with the compiler and the options of the tests (swc.json). It
// checks no types: `npm run check -- types` does.
import { cpSync, mkdirSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import ts from 'typescript';
import { writeConsolePage } from './console-page.mjs';
import { schemaFiles } from './docs/schemas.mjs';
import { writeStrategyPackage } from './strategy-package.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
  join(root, 'tsconfig.build.json'),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
);
errors.forEach(fail);
const { jsc, ...rest } = JSON.parse(readFileSync(join(root, 'swc.json'), 'utf8'));
const swc = {
  ...{ ...rest, swcrc: false, sourceMaps: true },
  jsc: { ...jsc, baseUrl: root, paths: options.paths },
};

await Promise.all(fileNames.map(compile));
// Both programs import their version from it.
copyFileSync(join(root, 'package.json'), join(root, 'dist/package.json'));
const daemon = createRequire(join(root, 'dist/apps/daemon/src/main.js'));
// The threads of the daemon are bundled here, so that no start has to do it, and what a backtest compiles of them is kept.
await daemon('./strategies/strategy-bundler.js').writeEntries(root);
await daemon('./backtest/thread/write-compiled.js').writeCompiled(join(root, 'apps/daemon/scaffold/strategy.ts'));
// What `daemon new` copies.
cpSync(join(root, 'apps/daemon/scaffold'), join(root, 'dist/apps/daemon/scaffold'), { recursive: true });
// What the MCP server offers as resources.
for (const page of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))) {
  cpSync(join(root, 'docs', page), join(root, 'dist/apps/mcp/docs', page));
}
await writeConsolePage(root, join(root, 'dist/apps/gateway/console'));
// Of the files that the programs read, for editors.
mkdirSync(join(root, 'dist/apps/schemas'), { recursive: true });
for (const [name, schema] of Object.entries(schemaFiles(root))) {
  writeFileSync(join(root, 'dist/apps/schemas', name), `${JSON.stringify(schema, null, 2)}\n`);
}
await writeStrategyPackage(root, join(root, 'dist/strategy-sdk'));

async function compile(file) {
  const target = join(root, 'dist', relative(root, file)).replace(/\.ts$/, '.js');
  const { code, map } = await transformFile(file, { ...swc, sourceFileName: relative(dirname(target), file) });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${target.slice(dirname(target).length + 1)}.map\n`);
  writeFileSync(`${target}.map`, map);
}

function fail({ messageText }) {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}
