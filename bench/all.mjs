// `npm run bench:all`: the live path of the gateway and the daemon in one run, first over the link to a terminal that takes 300 ms
// for each call, then on the embedded simulator. Nothing here passes or fails by time. Arguments name the parts to measure; all
// without: link, reads, orders, memory, strategies.
// BENCH_SECONDS for each run of load (2), BENCH_ROUNDS (5), BENCH_POSITIONS (2600), BENCH_TRADES (200),
// BENCH_ORDERS (5000): orders in a row, of which the first tenth is compared with the last, and before memory is read again,
// BENCH_LINK_TIMES (10): answers of each kind over the link, BENCH_STRATEGIES (300), BENCH_GROUP_SIZE (10).
import { cpus } from 'node:os';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { installWhatIsMissing } from '../scripts/launcher/installation.mjs';
import { parts } from './all/parts.mjs';
import { keep } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const number = (name, usual) => Number(process.env[name] ?? usual);
const plan = {
  ...{ seconds: number('BENCH_SECONDS', 2), rounds: number('BENCH_ROUNDS', 5) },
  ...{ trades: number('BENCH_TRADES', 200), positions: number('BENCH_POSITIONS', 2_600) },
  ...{ orders: number('BENCH_ORDERS', 5_000), linkTimes: number('BENCH_LINK_TIMES', 10) },
  ...{ strategies: number('BENCH_STRATEGIES', 300), groupSize: number('BENCH_GROUP_SIZE', 10) },
  /** What each call of the terminal takes over the link. */
  callMs: 300,
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`unknown parts: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
await installWhatIsMissing();
await buildWhatIsMissing();
const figures = {};
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { tables, ...measured } = await measure(plan);
  process.stderr.write('\n');
  for (const table of tables) console.log(`${markdown(table)}\n`);
  figures[name] = measured;
}
console.log(
  `Ratios of answers per second of processor time; medians of ${plan.rounds} rounds of ${plan.seconds} s, Node ${process.version}, ${cpus().length} processors.`,
);
keep('all', { conditions: { node: process.version, processors: cpus().length, ...plan }, ...figures });
