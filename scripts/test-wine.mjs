// Runs test/wine: a stand-in Windows program, built with mingw-w64, under Debian's wine, by the terminal host's own code.
// Not part of `npm test`, because it wants wine, Xvfb and a cross compiler; it says which of them is missing.
import { spawnSync } from 'node:child_process';
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

const started = performance.now();
const jest = join(root, 'node_modules/jest/bin/jest.js');
const run = spawnSync(process.execPath, [jest, '--selectProjects', 'wine', '--runInBand'], {
  cwd: root,
  stdio: 'inherit',
});
console.log(`test/wine took ${Math.round((performance.now() - started) / 1_000)} s`);
process.exit(run.status ?? 1);
