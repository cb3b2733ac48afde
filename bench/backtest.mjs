// What a backtest costs: processor time, memory and bars a second of the whole process, threads included, for a month and a
// year of generated one-minute bars, with a strategy that trades, with one that does not, and with one that receives every
// quote, four for each bar. Nothing here passes or fails by time. BENCH_PERIODS=2023-02,2023,2019..2023 names other periods,
// BENCH_STRATEGIES=ema-cross some of the strategies, and BENCH_ROUNDS the runs of each, of which the median is printed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { root } from '../scripts/launcher/commands.mjs';
import { generatedPrices, usualPrices } from '../scripts/launcher/prices.mjs';
import { keep } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const periods = (process.env.BENCH_PERIODS ?? '2023-02,2023').split(',');
const strategies = {
  'ema-cross': 'strategies/ema-cross.ts',
  'no trades': 'bench/backtest/idle.js',
  'every quote': 'bench/backtest/quotes.js',
};
const names = process.env.BENCH_STRATEGIES?.split(',') ?? Object.keys(strategies);
/** Enough for years of losses: a strategy without money is cheap, because its entries are refused. */
const capital = 10_000_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-backtest-'));
try {
  await buildWhatIsMissing();
  const results = [];
  for (const period of periods) {
    const files = await pricesOf(period);
    for (const name of names) results.push(measured(period, name, strategies[name], files));
  }
  const head = ['period', 'strategy', 'bars', 'trades', 'CPU s', 'wall s', 'bars/CPU s', 'peak MiB'];
  const rows = results.map(({ period, name, bars, trades, cpuSeconds, wallSeconds, residentMib }) => [
    ...[period, name, String(bars), String(trades), cpuSeconds.toFixed(2), wallSeconds.toFixed(2)],
    ...[(bars / cpuSeconds).toFixed(0), residentMib.toFixed(0)],
  ]);
  console.log(markdown([head, ...rows]));
  keep('backtest', { node: process.version, processors: cpus().length, rounds, results });
} finally {
  rmSync(folder, { recursive: true });
}

/** The price files of a period that the generator has, or of several years, `2019..2023`. */
async function pricesOf(period) {
  const [first, last = first] = period.split('..');
  if (first === last) return generatedPrices({ ...usualPrices, period });
  const files = [];
  for (let year = Number(first); year <= Number(last); year++) {
    files.push(...(await generatedPrices({ ...usualPrices, period: String(year) })));
  }
  return files;
}

/** The median of some runs, by processor time. */
function measured(period, name, file, data) {
  const runs = Array.from({ length: rounds }, () => run(file, data)).sort((a, b) => a.cpuSeconds - b.cpuSeconds);
  return { period, name, ...runs[Math.floor(runs.length / 2)] };
}

function run(file, data) {
  const usageFile = join(folder, 'usage.json');
  const reportFile = join(folder, 'report.json');
  const startMs = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...['--require', join(root, 'bench/backtest/usage.cjs'), join(root, 'dist/apps/daemon/src/main.js'), 'backtest'],
      ...[join(root, file), '--data', data.join(','), '--capital', String(capital), '--out', reportFile],
    ],
    { env: { PATH: process.env.PATH, BENCH_USAGE_FILE: usageFile }, encoding: 'utf8' },
  );
  const wallSeconds = (performance.now() - startMs) / 1_000;
  if (status !== 0) throw new Error(`the backtest of ${file} failed:\n${stderr}`);
  const { figures, range } = JSON.parse(readFileSync(reportFile, 'utf8'));
  return { ...JSON.parse(readFileSync(usageFile, 'utf8')), wallSeconds, trades: figures.trades, bars: range.bars };
}
