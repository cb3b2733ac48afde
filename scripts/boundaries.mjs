// `npm run boundaries`: who may import whom (.dependency-cruiser.js), and no cycles of folders.
import { folderCycles } from './launcher/folder-cycles.mjs';
import { outcomeOf, tool } from './launcher/commands.mjs';

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
  for (const line of [...broken, ...cycles]) console.error(line);
  console.log(`${result.modules.length} modules, ${broken.length + cycles.length} violations.`);
  process.exitCode = broken.length + cycles.length > 0 ? 1 : 0;
}

/** Null if dependency-cruiser printed something else, such as an error in its rules. */
function resultIn(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return null;
  }
}
