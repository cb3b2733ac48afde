// `npm run bench:all`: the live path of the gateway in one run, as ratios. Nothing here passes or fails by time.
// BENCH_SECONDS for each run of load (2), BENCH_ROUNDS (5), BENCH_POSITIONS (2600), BENCH_TRADES (200).
import { cpus } from 'node:os';
import { historyRatios } from './all/history.mjs';
import { manyPositionsRatios } from './all/many-positions.mjs';
import { ownTradeWaits } from './all/own-trades.mjs';
import { readRatios } from './all/reads.mjs';
import { openMany } from './all/trades.mjs';
import { keep, StartedGateway } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const number = (name, usual) => Number(process.env[name] ?? usual);
const effort = { seconds: number('BENCH_SECONDS', 2), rounds: number('BENCH_ROUNDS', 5) };
const trades = number('BENCH_TRADES', 200);
const positions = number('BENCH_POSITIONS', 2_600);

const settings = { SIM_BALANCE: '100000000' };
const gateways = [await StartedGateway.start(settings)];
// Only now are its packages sure to be there.
const { load } = await import('./load.mjs');
try {
  const [few] = gateways;
  await openMany(few, 3, { magic: 3 });
  await openMany(few, 7);
  const rows = await readRatios(few, effort, load);
  const waits = await ownTradeWaits(few, trades);
  rows.push(...(await historyRatios(few, trades, effort, load)));
  const many = await StartedGateway.start(settings);
  gateways.push(many);
  rows.push(...(await manyPositionsRatios(few, many, positions, effort, load)));
  report(rows, waits);
} finally {
  for (const gateway of gateways) await gateway.stop();
}

function report(rows, waits) {
  process.stderr.write('\n');
  const head = ['what', 'compared with', 'ratio', 'goal'];
  const cells = rows.map(({ name, yardstick, ratio, goal }) => [name, yardstick, ratio.toFixed(2), goal]);
  console.log(markdown([head, ...cells]));
  const quantiles = ({ p50, p95, p99 }) => [p50, p95, p99].map((ms) => ms.toFixed(1));
  const times = [
    ['own trade to its event, ms', 'p50', 'p95', 'p99'],
    ['from the answer; negative: the event came first', ...quantiles(waits.fromAnswer)],
    ['from the request', ...quantiles(waits.fromRequest)],
  ];
  console.log(`\n${markdown(times)}`);
  const conditions = { node: process.version, processors: cpus().length, ...effort, trades, positions };
  console.log(
    `\nRatios of answers per second of processor time; medians of ${effort.rounds} rounds of ${effort.seconds} s, Node ${process.version}, ${cpus().length} processors.`,
  );
  keep('all', { conditions, rows, waits });
}
