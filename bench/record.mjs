// `npm run bench -- record [PART...]`: measures what docs/benchmarks.md shows, writes it to bench/recorded.json with the date and the
// machine, and generates the page from that file. A part that is not named keeps its record. The parts: backtest, reads, simulation, bugs.
// BENCH_MINUTES is how long each world is simulated (15); BENCH_BUGS names some of the planted bugs; the other variables are those of
// the measurements. --into FILE writes another file, and no page.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/launcher/commands.mjs';
import { benchmarksPage, pageFile, recordedFile } from '../scripts/docs/benchmarks.mjs';

const worlds = {
  'one gateway under bots': [],
  'one gateway on a netting account': ['--netting'],
  'the daemon with its gateways': ['--whole'],
  'a fleet of daemons': ['--fleet'],
};
const parts = {
  backtest: () => {
    const { rounds, results } = kept('bench/backtest.mjs', [], 'backtest');
    return { rounds, results };
  },
  reads: () => {
    const { conditions, reads } = kept('bench/all.mjs', ['reads'], 'all');
    return { rounds: conditions.rounds, rows: reads.rows };
  },
  simulation: () =>
    Object.entries(worlds).map(([world, flags]) => ({
      world,
      ...simulated(['--minutes', process.env.BENCH_MINUTES ?? '15', ...flags]),
    })),
  bugs: () => simulated(['--bugs', ...(process.env.BENCH_BUGS?.split(',') ?? []), '--no-shrink']),
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' } } });
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`unknown parts: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const file = values.into ?? join(root, recordedFile);
const scratch = mkdtempSync(join(tmpdir(), 'bench-record-'));
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    const conditions = conditionsNow();
    const startMs = performance.now();
    const figures = parts[name]();
    const minutes = Math.ceil((performance.now() - startMs) / 60_000);
    const recorded = { ...readRecorded(), [name]: { ...conditions, minutes, figures } };
    writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
    if (values.into === undefined) writeFileSync(join(root, pageFile), benchmarksPage(recorded));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`Written to ${file}`);

function readRecorded() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Where and when a part is measured, and what else runs: the load of the last minute before it. */
function conditionsNow() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const all = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    version,
    processors: all.length,
    model: all[0]?.model ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: systemName(),
    node: process.version,
    loadBefore: Number(loadavg()[0].toFixed(1)),
  };
}

function systemName() {
  const about = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return /^PRETTY_NAME="?(.*?)"?$/m.exec(about)?.[1] ?? process.platform;
}

/** The figures that a measurement keeps under its name. */
function kept(script, args, name) {
  ran([script, ...args]);
  return JSON.parse(readFileSync(join(root, '.data/bench', `${name}.json`), 'utf8'));
}

function simulated(flags) {
  const figures = join(scratch, 'figures.json');
  rmSync(figures, { force: true });
  // A violation, or a bug that is not found, is a figure as well.
  ran(['scripts/simulate.mjs', ...flags, '--figures', figures], [0, 1]);
  return JSON.parse(readFileSync(figures, 'utf8'));
}

function ran([script, ...args], good = [0]) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  if (!good.includes(status)) throw new Error(`${script} ${args.join(' ')} failed`);
}
