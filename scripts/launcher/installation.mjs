import { readFileSync } from 'node:fs';
import { npm, root, run } from './commands.mjs';
import { step } from './progress.mjs';

/** Installs the packages of the lock file, unless exactly those are installed already. */
export async function installWhatIsMissing() {
  if (isInstalled()) return;
  await step('Installing the packages (npm ci)', () => run('The installation', installCommand()));
}

/**
 * NODE_ENV=production would leave out the compiler. No package needs its install script, and an npm that does not know
 * allowScripts would run them.
 */
export function installCommand() {
  return npm('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** npm keeps beside the packages a lock file of what it put there, written last. */
function isInstalled() {
  const wanted = packagesOf(`${root}/package-lock.json`);
  const installed = packagesOf(`${root}/node_modules/.package-lock.json`);
  return Object.entries(wanted).every(([path, { version, link, optional, devOptional }]) => {
    if (path === '' || link) return true;
    const found = installed[path];
    return found ? found.version === version : optional || devOptional;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
