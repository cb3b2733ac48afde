// Runs test/wine: a stand-in Windows program, built with mingw-w64, under Debian's wine, by the terminal host's own code.
// Not part of `npm test`, because it wants wine, Xvfb and a cross compiler; it says which of them is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = { wine: 'wine wine64', Xvfb: 'xvfb', 'x86_64-w64-mingw32-gcc': 'gcc-mingw-w64-x86-64-win32' };
const missing = Object.keys(wanted).filter((tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  console.error(`test/wine was not run: ${missing.join(', ')} not found.`);
  console.error(`On Debian: apt-get install --no-install-recommends ${missing.map((tool) => wanted[tool]).join(' ')}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'test-wine-'));
const config = join(folder, 'jest.config.cjs');
writeFileSync(
  config,
  `const { projects: [unit] } = require(${JSON.stringify(join(root, 'jest.config.js'))});
module.exports = { ...unit, displayName: 'wine', testMatch: ['<rootDir>/test/wine/**/*.e2e-spec.ts'], testTimeout: 120000 };
`,
);
const started = performance.now();
const run = spawnSync(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), '-c', config, '--runInBand'], {
  cwd: root,
  stdio: 'inherit',
});
rmSync(folder, { recursive: true, force: true });
console.log(`test/wine took ${Math.round((performance.now() - started) / 1_000)} s`);
process.exit(run.status ?? 1);
