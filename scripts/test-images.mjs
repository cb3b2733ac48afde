// `npm run test:images`: what can be checked of images and manifests without a container engine. Needs root (buildah with
// chroot isolation) and the buildah, debootstrap and shellcheck of Debian; states which are missing. The checks are in
// test/images, one file a subject; --only NAME runs one of them, and needs only its programs. The compose files are loaded in
// test/e2e/compose-files.e2e-spec.ts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkApiServer } from '../test/images/api-server.mjs';
import { checkKubernetes } from '../test/images/kubernetes.mjs';
import { checkScripts } from '../test/images/scripts.mjs';
import { checkSlimImages } from '../test/images/slim-images.mjs';
import { checkTerminalSteps } from '../test/images/terminal-steps.mjs';
import { Report } from '../test/images/report.mjs';

/** The checks, each with the programs that it needs. kubectl is optional: without it, its checks are listed as not run. */
const subjects = {
  kubernetes: { check: checkKubernetes, tools: [] },
  api: { check: checkApiServer, tools: ['go', 'kubectl', 'openssl'] },
  scripts: { check: checkScripts, tools: ['shellcheck', 'python3'] },
  slim: { check: checkSlimImages, tools: ['buildah', 'debootstrap'] },
  terminal: { check: checkTerminalSteps, tools: ['python3'] },
};
const usage = `usage: npm run test:images -- [--only ${Object.keys(subjects).join('|')}]`;
if (process.argv.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;
const chosen = Object.entries(subjects).filter(([name]) => only === undefined || only === name);
if (chosen.length === 0) {
  console.error(usage);
  process.exit(2);
}
const tools = [...new Set(chosen.flatMap(([, { tools: needed }]) => needed))];
const missing = tools.filter((tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  console.error(`Nothing was checked: ${missing.join(', ')} not found.`);
  console.error(`On Debian: apt-get install --no-install-recommends ${missing.join(' ')}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'test-images-'));
const report = new Report();
for (const [name, { check }] of chosen) {
  console.log(`\n${name}`);
  try {
    await check(report, folder);
  } catch (error) {
    report.fail(`${name} broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(report.end());
