// Other backtest engines on the bars and the strategy of the bench: backtesting.py and NautilusTrader, in a virtual environment
// of their own, since NautilusTrader needs an older pandas than the suites.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/commands.mjs';

const place = join(root, '.build/python-engines');
const python = join(place, 'bin/python');
const requirements = join(root, 'bench/backtest/requirements.txt');
const engines = { 'backtesting.py': 'backtesting_py.py', NautilusTrader: 'nautilus.py' };

/** The names of the engines; none where Python or the package index cannot be reached, which is printed. */
export function pythonEngines() {
  if (process.env.BENCH_ENGINES === 'none') return [];
  const problem = installed();
  if (problem === null) return Object.keys(engines);
  console.log(`Without other engines: ${problem}`);
  return [];
}

/** One run of an engine: processor time, memory, bars and trades. */
export function engineRun(name, data, capital) {
  const startMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    python,
    [join(root, 'bench/backtest', engines[name]), String(capital), data.join(',')],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${name} failed:\n${stderr}`);
  return { ...JSON.parse(stdout), wallSeconds: (performance.now() - startMs) / 1_000, isOther: true };
}

/** Installs the pinned versions once. @returns what prevented it; null if they are there */
function installed() {
  const stamp = join(place, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null;
  rmSync(place, { recursive: true, force: true });
  const problem =
    problemOf('python3', '-m', 'venv', place) ??
    problemOf(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements);
  if (problem === null) writeFileSync(stamp, wanted);
  return problem;
}

function problemOf(command, ...args) {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim().split('\n').at(-1));
}
