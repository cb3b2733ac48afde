import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run } from './commands.mjs';
import { step } from './progress.mjs';

const stamp = `${root}/dist/.built-from`;
const sourceFolders = ['apps', 'libs'];
const sourceFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'swc.json',
  'scripts/build.mjs',
  'scripts/console-page.mjs',
];

/** Compiles the tree into dist/, unless dist/ was made from just these sources. */
export async function buildWhatIsMissing() {
  const digest = digestOfSources();
  if (digest === builtFrom()) return;
  await step('Building (npm run build)', () => run('The build', npm('run', '--silent', 'build')));
  mkdirSync(`${root}/dist`, { recursive: true });
  writeFileSync(stamp, digest);
}

function builtFrom() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/** By content, because a checkout or a deletion changes sources without a newer modification time. */
function digestOfSources() {
  const hash = createHash('sha256');
  const compiled = sourceFolders.flatMap((folder) => compiledSources(`${root}/${folder}`));
  for (const file of [...compiled, ...sourceFiles.map((name) => `${root}/${name}`)]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Not what a build has written: while a package is built, its types would have every program that starts build again. */
export function compiledSources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.spec)\.(tsx?|css|html)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[\\/](dist|node_modules)[\\/]/.test(file.slice(folder.length)))
    .sort();
}
