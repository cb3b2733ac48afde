// `npm run check`: the whole standard of this repository, even if its first part fails. `npm run check -- lint`
// runs the parts that are named.
import { helpIfAsked } from './launcher/help.mjs';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { chosen } = await import('./launcher/chosen.mjs');
const { LaunchError, outcomeOf, root, tool } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { runSuite } = await import('./launcher/suite.mjs');
const { step } = await import('./launcher/progress.mjs');

// The longest comes first.
const all = new Map([
  ['lint', () => outputOf(tool('eslint/bin/eslint.js', '--max-warnings', '0', '.'))],
  ['format', () => outputOf(tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'))],
  ['types', types],
  ['boundaries', () => outputOf([process.execPath, `${root}/scripts/boundaries.mjs`])],
  ['unit', unitTests],
]);
helpIfAsked(import.meta.url, [...all.keys()]);

try {
  const parts = chosen(process.argv.slice(2), [...all.keys()], 'part');
  await installWhatIsMissing();
  process.exitCode = (await pass(parts)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

async function pass(parts) {
  const failed = [];
  const make = async (name) => {
    try {
      await step(name, all.get(name));
    } catch (error) {
      failed.push(name);
      console.error(`${name}:\n${error.message}\n`);
    }
  };
  // Each of these keeps one core busy, the unit tests all of them. A terminal has one moving line for one check.
  const waiting = parts.filter((name) => name !== 'unit');
  const makeNext = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await make(name);
  };
  await Promise.all(Array.from({ length: process.stdout.isTTY ? 1 : 2 }, makeNext));
  if (parts.includes('unit')) await make('unit');
  const isWell = failed.length === 0;
  console.log(
    isWell ? '\nAll checks passed.' : `\n${failed.length} of ${parts.length} checks failed: ${failed.join(', ')}`,
  );
  return isWell;
}

/** Of the programs, and of the page, which is written for a browser. */
async function types() {
  for (const project of ['tsconfig.json', 'apps/gateway/console/tsconfig.json']) {
    await outputOf(tool('typescript/bin/tsc', '--noEmit', '-p', project));
  }
}

async function outputOf(command) {
  const { code, output } = await outcomeOf(command);
  if (code !== 0) throw new Error(output.trimEnd());
}

async function unitTests() {
  const { success, problem, output } = await runSuite('unit', { flags: ['--silent'] });
  if (!success || problem) throw new Error([output.trimEnd(), problem].filter(Boolean).join('\n\n'));
}
