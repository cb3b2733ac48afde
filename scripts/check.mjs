// `npm run check`: the whole standard of this repository, all of it even when the first part fails. `npm run check -- lint`
// runs the parts that are named.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { outcomeOf, tool } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { runSuite } = await import('./launcher/suite.mjs');
const { step } = await import('./launcher/progress.mjs');

await installWhatIsMissing();

const all = [
  ['format', () => outputOf(tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'))],
  ['lint', () => outputOf(tool('eslint/bin/eslint.js', '--max-warnings', '0', '.'))],
  ['types', () => outputOf(tool('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'))],
  ['boundaries', () => outputOf(tool('dependency-cruiser/bin/dependency-cruise.mjs', 'apps', 'libs'))],
  ['unit', unitTests],
];

const failures = [];
const parts = wantedParts(process.argv.slice(2));
for (const [name, part] of parts) {
  try {
    await step(name, part);
  } catch (error) {
    failures.push(error);
    console.error(`${name}:\n${error.message}\n`);
  }
}
console.log(failures.length === 0 ? '\nAll checks passed.' : `\n${failures.length} of ${parts.length} checks failed.`);
process.exitCode = failures.length === 0 ? 0 : 1;

function wantedParts(named) {
  const names = all.map(([name]) => name);
  const unknown = named.find((name) => !names.includes(name));
  if (unknown) {
    console.error(`There is no part "${unknown}"; there are ${names.join(', ')}.`);
    process.exit(2);
  }
  return named.length > 0 ? all.filter(([name]) => named.includes(name)) : all;
}

async function outputOf(command) {
  const { code, output } = await outcomeOf(command);
  if (code !== 0) throw new Error(output.trimEnd());
}

async function unitTests() {
  const { success, problem, output } = await runSuite('unit', { flags: ['--silent'] });
  if (!success || problem) throw new Error([output.trimEnd(), problem].filter(Boolean).join('\n\n'));
}
