// `npm run bench:all`: the live path of the gateway in one run, as ratios. Nothing here passes or fails by time.
// BENCH_SECONDS for each run of load (2), BENCH_ROUNDS (5), BENCH_POSITIONS (2600), BENCH_TRADES (200),
// BENCH_ORDERS (5000): orders in a row, of which the first tenth is compared with the last, and before memory is read again.
import { cpus } from 'node:os';
import { durableOrders, manyOrders } from './all/durable-orders.mjs';
import { historyRatios } from './all/history.mjs';
import { manyPositionsRatios } from './all/many-positions.mjs';
import { memoryOf } from './all/memory.mjs';
import { ownTradeWaits } from './all/own-trades.mjs';
import { readRatios } from './all/reads.mjs';
import { tickLatency } from './all/tick-latency.mjs';
import { openMany } from './all/trades.mjs';
import { keep, StartedGateway } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const number = (name, usual) => Number(process.env[name] ?? usual);
const effort = { seconds: number('BENCH_SECONDS', 2), rounds: number('BENCH_ROUNDS', 5) };
const trades = number('BENCH_TRADES', 200);
const positions = number('BENCH_POSITIONS', 2_600);
const orders = number('BENCH_ORDERS', 5_000);
const flushes = [0, 1, 5, 10];

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
  const ticks = await tickLatency(few, 5 * effort.seconds);
  rows.push(...(await historyRatios(few, trades, effort, load)));
  const many = await StartedGateway.start(settings);
  gateways.push(many);
  rows.push(...(await manyPositionsRatios(few, many, positions, effort, load)));
  const fresh = await StartedGateway.start(settings);
  gateways.push(fresh);
  const memory = await memoryOf(fresh, orders);
  const durable = await durableOrders(flushes, effort.seconds);
  report({ rows, waits, ticks, memory, durable, row: await manyOrders(orders) });
} finally {
  for (const gateway of gateways) await gateway.stop();
}

function report({ rows, waits, ticks, memory, durable, row }) {
  process.stderr.write('\n');
  const head = ['what', 'compared with', 'ratio', 'goal'];
  const cells = rows.map(({ name, yardstick, ratio, goal }) => [name, yardstick, ratio.toFixed(2), goal]);
  console.log(markdown([head, ...cells]));
  const quantiles = ({ p50, p95, p99 }) => [p50, p95, p99].map((ms) => ms.toFixed(1));
  const times = [
    ['waits of a listener, ms', 'p50', 'p95', 'p99'],
    ['own trade: from the answer to the event; negative: the event came first', ...quantiles(waits.fromAnswer)],
    ['own trade: from the request to the event', ...quantiles(waits.fromRequest)],
    [`quote: from its time at the broker, ${ticks.symbols} symbols`, ...quantiles(ticks)],
  ];
  console.log(`\n${markdown(times)}`);
  const memoryTable = [
    ['memory of a gateway, RssAnon', 'MiB', 'goal, MiB'],
    ['after its start', memory.idleMib.toFixed(0), '≤ 75'],
    [`after ${orders} orders`, memory.afterMib.toFixed(0), '≤ 130'],
  ];
  console.log(`\n${markdown(memoryTable)}`);
  console.log(`\n${markdown(durableTable(durable))}`);
  const [first, last] = [row.first, row.last].map(({ cpuMicros }) => cpuMicros.toFixed(0));
  console.log(
    `\nMain thread of ${orders} orders in a row: ${first} µs each in the first tenth, ${last} µs in the last.`,
  );
  const conditions = { node: process.version, processors: cpus().length, ...effort, trades, positions, orders };
  console.log(
    `\nRatios of answers per second of processor time; medians of ${effort.rounds} rounds of ${effort.seconds} s, Node ${process.version}, ${cpus().length} processors.`,
  );
  keep('all', { conditions, rows, waits, ticks, memory, durable, row });
}

function durableTable(durable) {
  const head = [
    'flush, ms',
    'clients',
    'orders/s',
    'bound',
    'p50 ms',
    'p99 ms',
    'flushes per order',
    'main thread µs per order',
  ];
  const cells = durable.map(({ flushMs, clients, perSecond, bound, p50Ms, p99Ms, flushes, cpuMicros }) => [
    ...[flushMs, clients].map(String),
    ...[perSecond.toFixed(0), bound?.toFixed(0) ?? ''],
    ...[p50Ms.toFixed(1), p99Ms.toFixed(1)],
    ...[bound === null ? '' : flushes.toFixed(1), cpuMicros.toFixed(0)],
  ]);
  return [head, ...cells];
}
