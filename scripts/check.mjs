// `npm run check`: the whole standard of this repository, all of it even when the first part fails. `npm run check -- lint`
// runs the parts that are named.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { chosen } = await import('./launcher/chosen.mjs');
const { LaunchError, outcomeOf, tool } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { runSuite } = await import('./launcher/suite.mjs');
const { step } = await import('./launcher/progress.mjs');

const all = new Map([
  ['format', () => outputOf(tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'))],
  ['lint', () => outputOf(tool('eslint/bin/eslint.js', '--max-warnings', '0', '.'))],
  ['types', () => outputOf(tool('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'))],
  ['boundaries', () => outputOf(tool('dependency-cruiser/bin/dependency-cruise.mjs', 'apps', 'libs'))],
  ['unit', unitTests],
]);

try {
  const parts = chosen(process.argv.slice(2), [...all.keys()], 'part');
  await installWhatIsMissing();
  process.exitCode = (await pass(parts)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

async function pass(parts) {
  const failures = [];
  for (const name of parts) {
    try {
      await step(name, all.get(name));
    } catch (error) {
      failures.push(error);
      console.error(`${name}:\n${error.message}\n`);
    }
  }
  const isWell = failures.length === 0;
  console.log(isWell ? '\nAll checks passed.' : `\n${failures.length} of ${parts.length} checks failed.`);
  return isWell;
}

async function outputOf(command) {
  const { code, output } = await outcomeOf(command);
  if (code !== 0) throw new Error(output.trimEnd());
}

async function unitTests() {
  const { success, problem, output } = await runSuite('unit', { flags: ['--silent'] });
  if (!success || problem) throw new Error([output.trimEnd(), problem].filter(Boolean).join('\n\n'));
}
