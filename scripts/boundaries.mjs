// `npm run check -- boundaries`: who may import whom (.dependency-cruiser.js), no cycles of folders, and no unused exports.
import { folderCycles } from './launcher/folder-cycles.mjs';
import { outcomeOf, root, tool } from './launcher/commands.mjs';
import { sourcesOf, unusedExports } from './launcher/unused-exports.mjs';

const { code, output } = await outcomeOf(
  tool('dependency-cruiser/bin/dependency-cruise.mjs', 'apps', 'libs', '--output-type', 'json'),
);
const result = resultIn(output);
if (result === null) {
  console.error(output.trimEnd());
  process.exitCode = code || 1;
} else {
  const broken = result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  const cycles = folderCycles(result.modules).map((folders) => `no-folder-cycles: ${folders} import each other`);
  const unused = unusedExports(sourcesOf(root)).map((name) => `no-unused-exports: ${name}`);
  const violations = [...broken, ...cycles, ...unused];
  for (const line of violations) console.error(line);
  console.log(`${result.modules.length} modules, ${violations.length} violations.`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}

/** Null if dependency-cruiser printed something else, such as an error in its rules. */
function resultIn(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return null;
  }
}
