// `npm run check`: the whole standard of this repository, all of it even when the first part fails.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { outcomeOf, tool } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { step } = await import('./launcher/progress.mjs');

await installWhatIsMissing();

const parts = [
  ['format', tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  ['lint', tool('eslint/bin/eslint.js', '--max-warnings', '0', '.')],
  ['types', tool('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json')],
  ['boundaries', tool('dependency-cruiser/bin/dependency-cruise.mjs', 'apps', 'libs')],
  ['unit tests', tool('jest/bin/jest.js', '--selectProjects', 'unit', '--silent')],
];

const failures = [];
for (const [name, command] of parts) {
  try {
    await step(name, () => resultOf(name, command));
  } catch (error) {
    failures.push(error);
    console.error(error.message);
  }
}
console.log(failures.length === 0 ? '\nAll checks passed.' : `\n${failures.length} of ${parts.length} checks failed.`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function resultOf(name, command) {
  const { code, output } = await outcomeOf(command);
  if (code !== 0) throw new Error(`${name}:\n${output.trimEnd()}\n`);
}
