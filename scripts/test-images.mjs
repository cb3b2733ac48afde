// `npm run test:images`: what can be checked of images and compose file without a container engine. Needs root (buildah
// with chroot isolation) and Debian's buildah, debootstrap, docker-compose, shellcheck; says which of them is missing.
// The checks are in test/images, one file a subject; --only NAME runs one of them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCompose } from '../test/images/compose.mjs';
import { checkKubernetes } from '../test/images/kubernetes.mjs';
import { checkScripts } from '../test/images/scripts.mjs';
import { checkSlimImages } from '../test/images/slim-images.mjs';
import { checkTerminalSteps } from '../test/images/terminal-steps.mjs';
import { Report } from '../test/images/report.mjs';

const tools = ['buildah', 'debootstrap', 'docker-compose', 'shellcheck', 'python3'];
const missing = tools.filter((tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  console.error(`Nothing was checked: ${missing.join(', ')} not found.`);
  console.error(`On Debian: apt-get install --no-install-recommends ${missing.join(' ')}`);
  process.exit(1);
}

const subjects = {
  compose: checkCompose,
  kubernetes: checkKubernetes,
  scripts: checkScripts,
  slim: checkSlimImages,
  terminal: checkTerminalSteps,
};
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;
const folder = mkdtempSync(join(tmpdir(), 'test-images-'));
const report = new Report();
for (const [name, check] of Object.entries(subjects)) {
  if (only !== undefined && only !== name) continue;
  console.log(`\n${name}`);
  try {
    await check(report, folder);
  } catch (error) {
    report.fail(`${name} broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(report.end());
