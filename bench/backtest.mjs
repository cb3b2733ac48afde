// What a backtest costs: processor time, memory and bars a second of the whole process, threads and children included, for a
// month, a year and five years of generated one-minute bars, with a strategy that trades, with one that does not, and with one that
// receives every quote, four for each bar. The last two rows of a month and of a year are over ticks: the same quotes as a file of
// ticks, with the strategy that trades and with one that receives every tick. No columns of the prices are kept. The strategy that
// trades runs also in NautilusTrader, backtesting.py and vectorbt, on the same bars without swap; a second table says whether trades,
// profit and equity agree. An engine that cannot be installed is left out by name. Nothing here passes or fails by time.
// BENCH_PERIODS=2023-02,2023 names other periods, BENCH_STRATEGIES=ema-cross some of the strategies, BENCH_ROUNDS the runs of each,
// of which the median is printed (several years run once), BENCH_ENGINES=none leaves the other engines out, and BENCH_SETS=100
// measures a search of so many sets over each period, screened by the kernel and in the full engine alone; the ratio of its row is
// that of both. The sets that a search confirms are part of it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { root } from '../scripts/launcher/commands.mjs';
import { generatedPrices, usualPrices } from '../scripts/launcher/prices.mjs';
import { agreement, oursOf, traded } from './backtest/agreement.mjs';
import { engineRun, pythonEngines } from './backtest/python-engines.mjs';
import { ticksOf } from './backtest/ticks.mjs';
import { keep } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const periods = (process.env.BENCH_PERIODS ?? '2023-02,2023,2019..2023').split(',');
const strategies = {
  'ema-cross': 'strategies/ema-cross.ts',
  'no trades': 'bench/backtest/idle.js',
  'every quote': 'bench/backtest/quotes.js',
};
/** The same over a file of ticks. */
const onTicks = { 'ema-cross, ticks': strategies['ema-cross'], 'every tick': strategies['every quote'] };
const names = process.env.BENCH_STRATEGIES?.split(',') ?? [...Object.keys(strategies), ...Object.keys(onTicks)];
/** Enough for years of losses: a strategy without money is cheap, because its entries are refused. */
const capital = 10_000_000;
const sets = Number(process.env.BENCH_SETS ?? 0);
const setsInFull = `${sets} sets in full`;

const folder = mkdtempSync(join(tmpdir(), 'bench-backtest-'));
try {
  await buildWhatIsMissing();
  const engines = names.includes(traded) ? pythonEngines() : [];
  const results = [];
  for (const period of periods) {
    const files = await pricesOf(period);
    for (const name of names.filter((one) => one in strategies)) {
      results.push(measured(period, name, () => run(strategies[name], files)));
    }
    results.push(...tickResults(period, files));
    for (const name of engines) results.push(measured(period, name, () => engineRun(name, files, capital)));
    if (sets > 0) {
      results.push(measured(period, setsInFull, () => search(files, ['--no-kernel'])));
      results.push(measured(period, `${sets} sets`, () => search(files, [])));
    }
  }
  const head = ['period', 'strategy', 'bars', 'trades', 'CPU s', 'ours / theirs', 'wall s', 'bars/CPU s', 'peak MiB'];
  const rows = results.map((result) => {
    const { period, name, bars, trades, cpuSeconds, wallSeconds, residentMib } = result;
    return [
      ...[
        period,
        name,
        String(bars),
        String(trades),
        cpuSeconds.toFixed(2),
        ratioOf(result, results),
        wallSeconds.toFixed(2),
      ],
      ...[(bars / cpuSeconds).toFixed(0), residentMib.toFixed(0)],
    ];
  });
  console.log(markdown([head, ...rows]));
  if (results.some(({ isOther }) => isOther)) console.log(`\n${markdown(agreement(results))}`);
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

/** Processor time as a multiple of that of another engine: of the strategy that trades, and of a search that screens. */
function ratioOf({ period, name, cpuSeconds, isOther }, results) {
  const full = results.find((result) => result.period === period && result.name === setsInFull);
  if (full && name === `${sets} sets`) return (cpuSeconds / full.cpuSeconds).toFixed(3);
  return isOther ? (oursOf({ period }, results).cpuSeconds / cpuSeconds).toFixed(2) : '';
}

/** The runs over ticks; none of several years, whose ticks are half a gigabyte. */
function tickResults(period, files) {
  const own = names.filter((name) => name in onTicks);
  if (own.length === 0 || isOfYears(period)) return [];
  const ticks = [ticksOf(files, folder)];
  return own.map((name) => measured(period, name, () => run(onTicks[name], ticks)));
}

function isOfYears(period) {
  return period.includes('..');
}

/** The median of some runs, by processor time. */
function measured(period, name, once) {
  const runs = Array.from({ length: isOfYears(period) ? 1 : rounds }, once).sort((a, b) => a.cpuSeconds - b.cpuSeconds);
  return { period, name, ...runs[Math.floor(runs.length / 2)] };
}

/** A backtest. */
function run(file, data) {
  // Without swap, which the other engines do not charge.
  const args = ['backtest', join(root, file), '--capital', String(capital), '--swap', '0', '--json'];
  const { usage, stdout } = commandUsage(data, args);
  const { figures, range } = JSON.parse(stdout);
  const { trades, netProfit: profit, endEquity: equity } = figures;
  return { ...usage, trades, profit, equity, bars: range.bars };
}

/** A search of the strategy that trades: the trades of all its sets, and their number in place of the bars. */
function search(data, flags) {
  // Of the volume, so that each set trades as often as the backtest.
  const grid = `volume=0.01:${(sets / 100).toFixed(2)}:0.01`;
  const { usage, stdout } = commandUsage(data, [
    ...['optimize', join(root, strategies[traded]), '--grid', grid],
    ...['--capital', String(capital), '--json', ...flags],
  ]);
  const { rows } = JSON.parse(stdout);
  const trades = rows.reduce((sum, row) => sum + (row.run?.figures.trades ?? 0), 0);
  return { ...usage, trades, bars: rows.length };
}

/** What a command of the daemon costs on prices of which no columns are kept. */
function commandUsage(data, args) {
  const usageFile = join(folder, 'usage.json');
  for (const path of data) rmSync(join(dirname(path), '.columns'), { recursive: true, force: true });
  const startMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--require', join(root, 'bench/backtest/usage.cjs'), join(root, 'dist/apps/daemon/src/main.js')],
      ...[...args, '--data', data.join(',')],
    ],
    { env: { PATH: process.env.PATH, BENCH_USAGE_FILE: usageFile }, encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 },
  );
  const wallSeconds = (performance.now() - startMs) / 1_000;
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stderr}`);
  return { usage: { ...JSON.parse(readFileSync(usageFile, 'utf8')), wallSeconds }, stdout };
}
