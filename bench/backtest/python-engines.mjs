// Other backtest engines on the bars and the strategy of the bench, each in a virtual environment of its own: their packages need
// different versions of the same libraries, and of Python.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/commands.mjs';

const place = join(root, '.build/python-engines');
/** `pythons`: versions that the package has wheels for, the best first; empty for the usual one. */
const engines = {
  'NautilusTrader 2.0.0rc6': {
    package: 'nautilus_trader==2.0.0rc6',
    script: 'nautilus.py',
    pythons: ['3.13', '3.12', '3.14'],
  },
  'backtesting.py 0.6.6': { package: 'backtesting==0.6.6', script: 'backtesting_py.py', pythons: [] },
  'vectorbt 1.2.0, Rust': { package: 'vectorbt[rust]==1.2.0', script: 'vectorbt_cross.py', pythons: [] },
};

/** The names of the engines that can be had here; why another one cannot is printed. */
export function pythonEngines() {
  if (process.env.BENCH_ENGINES === 'none') return [];
  return Object.keys(engines).filter((name) => {
    const problem = installed(name);
    if (problem !== null) console.log(`Without ${name}: ${problem}`);
    return problem === null;
  });
}

/** One run of an engine: processor time, memory, bars, and what it traded. */
export function engineRun(name, data, capital) {
  const startMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    pythonOf(name),
    [join(root, 'bench/backtest', engines[name].script), String(capital), data.join(',')],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${name} failed:\n${stderr}`);
  return { ...JSON.parse(stdout), wallSeconds: (performance.now() - startMs) / 1_000, isOther: true };
}

/** Installs the pinned version once. @returns what prevented it; null if it is there */
function installed(name) {
  const { package: wanted, pythons } = engines[name];
  const folder = folderOf(name);
  const stamp = join(folder, 'installed.txt');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null;
  rmSync(folder, { recursive: true, force: true });
  const python = pythons.length === 0 ? 'python3' : pythons.map((version) => `python${version}`).find(isThere);
  if (python === undefined) return `it needs Python ${pythons.toSorted().join(' or ')}`;
  const problem =
    problemOf(python, '-m', 'venv', folder) ??
    problemOf(pythonOf(name), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wanted);
  if (problem === null) writeFileSync(stamp, wanted);
  return problem;
}

function folderOf(name) {
  return join(place, name.replaceAll(/[^\w.]+/g, '-'));
}

function pythonOf(name) {
  return join(folderOf(name), 'bin/python');
}

function isThere(command) {
  return problemOf(command, '--version') === null;
}

function problemOf(command, ...args) {
  // Where pyenv manages the versions, a command of another than the usual one works by this alone.
  const version = /^python(3\.\d+)$/.exec(command)?.[1];
  const env = version === undefined ? process.env : { ...process.env, PYENV_VERSION: version };
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', env });
  return status === 0 ? null : (error?.message ?? stderr.trim().split('\n').at(-1));
}
