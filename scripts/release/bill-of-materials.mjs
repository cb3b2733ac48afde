import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReleaseError, run } from './commands.mjs';

/**
 * The bill of materials of the published npm package, in CycloneDX: every package of the lock file that an installation has.
 * `npm sbom --omit dev` leaves out what a development dependency needs as well, so npm gets a lock file without those.
 * @param source the files of the version
 * @param work an empty folder
 * @throws ReleaseError if a package is missing in it
 */
export function billOfMaterials(source, work) {
  // npm names the product by its folder.
  const folder = join(work, 'trading-gateway');
  mkdirSync(folder);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8'));
  delete manifest.devDependencies;
  delete lock.packages[''].devDependencies;
  const installed = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  const locked = { ...lock, packages: Object.fromEntries(installed) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(locked));
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const bill = run('npm', args, { cwd: folder }).toString();
  const listed = new Set(JSON.parse(bill).components.map(({ name, version }) => `${name}@${version}`));
  const wanted = installed.filter(([path]) => path !== '').map(([path, one]) => `${nameOf(path)}@${one.version}`);
  const missing = wanted.filter((one) => !listed.has(one));
  if (missing.length > 0) throw new ReleaseError(`the bill of materials lacks ${missing.join(', ')}`);
  return bill;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
