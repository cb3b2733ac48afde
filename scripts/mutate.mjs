// `npm run mutate -- account-evidence`: changes the code of a part in one place at a time, and runs the unit tests of its folder. A
// change that no test notices is printed. Without a name, all parts; `npm run mutate -- core --files 'stack*.ts' --files plan.ts:10-20`:
// some of one.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { chosen } from './launcher/chosen.mjs';
import { LaunchError, root } from './launcher/commands.mjs';
import { equalMutants } from './mutation/equal-mutants.mjs';
import { parts } from './mutation/parts.mjs';
import { helpIfAsked } from './launcher/help.mjs';

helpIfAsked(import.meta.url, Object.keys(parts));

const unnoticed = new Set(['Survived', 'NoCoverage']);
const noticed = new Set(['Killed', 'Timeout']);

try {
  const options = { files: { type: 'string', multiple: true, default: ['**/*.ts'] } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const isSound = [];
  for (const name of chosen(positionals, Object.keys(parts), 'part')) {
    isSound.push(await judge(parts[name], values.files));
  }
  process.exitCode = isSound.every(Boolean) ? 0 : 1;
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

/** Whether the tests notice as many changes as they have to. */
async function judge({ folder, least, cases = Infinity }, files) {
  const results = (await mutate(folder, cases, files)).map(described);
  const isEqual = ({ file, line, from, to }) =>
    equalMutants.some(
      (equal) => equal.file === file && equal.line === line && equal.from === from && equal.to.includes(to),
    );
  const open = results.filter(({ status }) => unnoticed.has(status)).filter((mutant) => !isEqual(mutant));
  for (const { file, at, line, from, to } of open) console.log(`\n${file}:${at}\n  ${line}\n  ${from} -> ${to}`);
  const killed = results.filter(({ status }) => noticed.has(status)).length;
  const share = Math.floor((1_000 * killed) / (killed + open.length)) / 10;
  console.log(`\n${folder}: ${killed} of ${killed + open.length} changes noticed, ${share} %; ${least} % wanted.`);
  return share >= least;
}

function mutate(folder, cases, files) {
  // Children take them from here; the same seed gives the same share.
  Object.assign(process.env, { MUTATED_FOLDER: folder, MUTATED_CASES: String(cases), TEST_SEED: '1' });
  process.chdir(root);
  return new Stryker({
    mutate: [...files.map((file) => `${folder}/${file}`), `!${folder}/**/*.spec.ts`, `!${folder}/**/testing/**`],
    testRunner: 'unit-tests',
    plugins: [join(root, 'scripts/mutation/test-runner.mjs')],
    coverageAnalysis: 'perTest',
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['/dist', '/.build', '/bench', '/bridge', '/deploy', '/docs', '/examples'],
    concurrency: Number(process.env.MUTATE_JOBS ?? 2),
    tempDirName: '.build/mutation',
    reporters: ['progress'],
    // Of a test that a change makes endless. A busy machine needs some of it.
    timeoutMS: 15_000,
  }).runMutationTest();
}

/** A mutant by the texts of its place. Lines and columns begin with 1. */
function described({ fileName, location: { start, end }, replacement, status }) {
  const file = relative(root, fileName).replaceAll('\\', '/');
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const line = lines[start.line - 1].trim();
  const inside = lines.slice(start.line - 1, end.line);
  inside[inside.length - 1] = inside.at(-1).slice(0, end.column - 1);
  inside[0] = inside[0].slice(start.column - 1);
  return { file, status, at: start.line, line, from: inside.join('\n'), to: replacement };
}
