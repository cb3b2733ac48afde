// `node scripts/house.mjs [FOLDER...]`: figures about the sources, to compare before and after a change of their order. For each folder
// that is named, and for the gateway's trade wing: lines, waits, and fields and collections that change.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './launcher/commands.mjs';
import { tradeWing } from './launcher/trade-wing.mjs';
import { helpIfAsked } from './launcher/help.mjs';

helpIfAsked(import.meta.url);

const require = createRequire(import.meta.url);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  ...{ cwd: root, encoding: 'utf8', maxBuffer: 1e8 },
})
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|cjs)$/.test(file) && !file.endsWith('.d.ts'));
const texts = new Map(files.flatMap((file) => textOf(file)));
const linesOf = (some) => some.reduce((sum, file) => sum + texts.get(file).split('\n').length - 1, 0);
const isSpec = (file) => /[.-]spec\.ts$/.test(file);
const isRig = (file) => /(^|\/)testing\//.test(file);
const known = [...texts.keys()];
const product = known.filter((file) => /^(apps|libs)\//.test(file));
const sources = product.filter((file) => !isSpec(file) && !isRig(file) && !/\/bench\//.test(file));

const rows = [
  ['source files, apps and libs', sources.length],
  ['source lines', linesOf(sources)],
  ...['apps/gateway', 'apps/daemon', 'libs'].map((folder) => [`… ${folder}`, linesOf(within(sources, folder))]),
  ['libs', new Set(sources.flatMap((file) => /^libs\/([^/]+)/.exec(file)?.[1] ?? [])).size],
  ['lines of specs beside the sources', linesOf(product.filter((file) => isSpec(file)))],
  ['lines of rigs (testing/)', linesOf(product.filter((file) => isRig(file) && !isSpec(file)))],
  ['lines of test/', linesOf(within(known, 'test'))],
  ['lines of scripts and bench', linesOf([...within(known, 'scripts'), ...within(known, 'bench')])],
  ['lines of a source file, median, p90, largest', spread(sources.map((file) => linesOf([file]))).join(' / ')],
  ...importFigures(),
  ['spreads that pack a line: ...{ a, b }', packedSpreads(sources)],
  ['jest projects', require(`${root}/jest.config.js`).projects.length],
  ['npm scripts', Object.keys(require(`${root}/package.json`).scripts).length],
];
const ofWing = (some) => tradeWing.flatMap((folder) => within(some, folder));
rows.push(["the gateway's trade wing", contentsOf(ofWing(sources))]);
rows.push(['… specs and rigs', linesOf(ofWing(product).filter((file) => !sources.includes(file)))]);
for (const folder of process.argv.slice(2)) rows.push([folder, contentsOf(within(sources, folder.replace(/\/$/, '')))]);
console.log('| measure | now |\n|---|---|');
for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);

function textOf(file) {
  try {
    return [[file, readFileSync(join(root, file), 'utf8')]];
  } catch {
    // Deleted and not committed.
    return [];
  }
}

function within(some, folder) {
  return some.filter((file) => file === folder || file.startsWith(`${folder}/`));
}

function spread(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return [0.5, 0.9, 1].map((part) => sorted[Math.ceil(sorted.length * part) - 1]);
}

function contentsOf(some) {
  const { awaits, fields, collections } = stateOf(some);
  const { imports, comments, blank } = linesByKind(some);
  const lines = linesOf(some);
  const kinds = `code ${lines - imports - comments - blank}, imports ${imports}, comments ${comments}, blank ${blank}`;
  return `${some.length} files, ${lines} lines (${kinds}), ${awaits} awaits, ${fields} mutable fields, ${collections} collections`;
}

/** Lines that import, that have only a comment, and that have nothing. */
function linesByKind(some) {
  const found = { imports: 0, comments: 0, blank: 0 };
  for (const file of some) {
    const source = ts.createSourceFile(file, texts.get(file), ts.ScriptTarget.Latest, true);
    const lineOf = (place) => source.getLineAndCharacterOfPosition(place).line;
    for (const one of source.statements.filter(ts.isImportDeclaration)) {
      found.imports += lineOf(one.end) - lineOf(one.getStart()) + 1;
    }
    for (const line of texts.get(file).split('\n').slice(0, -1)) {
      if (line.trim() === '') found.blank++;
      else if (/^\s*(\/\/|\/\*|\* |\*\/|\*$)/.test(line)) found.comments++;
    }
  }
  return found;
}

/** Source files that one other source file imports. */
function importFigures() {
  const importers = new Map(sources.map((file) => [file, new Set()]));
  for (const file of sources) {
    for (const [, path] of texts.get(file).matchAll(/from '(\.[^']*)'/g)) {
      const target = relative(root, join(root, dirname(file), path));
      for (const found of [`${target}.ts`, `${target}.tsx`, `${target}/index.ts`]) importers.get(found)?.add(file);
    }
  }
  const single = [...importers].filter(([, by]) => by.size === 1);
  const beside = single.filter(([file, [by]]) => dirname(file) === dirname(by));
  const short = beside.filter(([file]) => linesOf([file]) <= 40);
  return [
    ['files that one file imports', single.length],
    ['… of the same folder; of at most 40 lines', `${beside.length}; ${short.length}`],
  ];
}

function packedSpreads(some) {
  const isCode = (file) => file.endsWith('.ts') || file.endsWith('.tsx');
  return some.filter(isCode).reduce((sum, file) => sum + [...texts.get(file).matchAll(/\.\.\.\{ /g)].length, 0);
}

/** Waits, and members of classes that are assigned again or collect. */
function stateOf(some) {
  const found = { awaits: 0, fields: 0, collections: 0 };
  for (const file of some) visit(ts.createSourceFile(file, texts.get(file), ts.ScriptTarget.Latest, true));
  return found;

  function visit(node) {
    if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)) found.awaits++;
    const isMember = ts.isPropertyDeclaration(node) || ts.isParameterPropertyDeclaration(node, node.parent);
    if (isMember) {
      const isFixed = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;
      const isStatic = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
      if (!isFixed && !isStatic) found.fields++;
      else if (/^(new (Map|Set|WeakMap)\b|\[\])/.test(node.initializer?.getText() ?? '')) found.collections++;
    }
    ts.forEachChild(node, visit);
  }
}
