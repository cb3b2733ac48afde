// `npm run bench -- fleet`: takeovers of a fleet, with real daemons, one gateway and a PostgreSQL server of its own. Needs
// `npm run build` and the programs of PostgreSQL. BENCH_ROUNDS takeovers by each cause (5), BENCH_TAKEOVERS by SIGTERM and SIGKILL
// in turn (200), BENCH_LEASES (2000), BENCH_LEASE_SECONDS (10). Ends with 1 when a strategy was run twice, a paused host was not
// refused, the books differ, or a figure exceeds its limit.
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { markdown } from './table.mjs';
import { head, problemOf, row } from './fleet/figure.mjs';
import { leaseRenewals } from './fleet/lease-renewals.mjs';
import { takeovers } from './fleet/takeovers.mjs';

// The rigs of the suites mark suites that cannot run; here nothing is a suite.
globalThis.describe = Object.assign(() => undefined, { skip: () => undefined });
const require = createRequire(import.meta.url);
require('../scripts/simulation/load-typescript.cjs');

const number = (name, usual) => Number(process.env[name] ?? usual);
const effort = {
  rounds: number('BENCH_ROUNDS', 5),
  takeovers: number('BENCH_TAKEOVERS', 200),
  leases: number('BENCH_LEASES', 2_000),
  leaseSeconds: number('BENCH_LEASE_SECONDS', 10),
};

const { PostgresServer } = require('../test/e2e/programs/postgres.ts');
const server = PostgresServer.start();
const loadBefore = loadavg()[0];
let isSound = false;
try {
  const renewed = await leaseRenewals(require, server, effort.leases);
  const { figures, facts, problems } = await takeovers(require, server, effort);
  const all = [...figures, renewed];
  const failed = [...problems, ...all.map(problemOf).filter((problem) => problem !== null)];
  isSound = failed.length === 0;
  const load = [loadBefore, ...loadavg()].map((value) => value.toFixed(1));
  process.stdout.write(`${cpus()[0]?.model.trim()}, ${cpus().length} processors, Node ${process.version}\n`);
  process.stdout.write(
    `Leases of ${effort.leaseSeconds} s; load average ${load[0]} before, ${load.slice(1).join(', ')} after\n\n`,
  );
  process.stdout.write(`${markdown([head, ...all.map(row)])}\n\n${facts.join('\n')}\n`);
  const sound = 'No strategy was run twice, no key was sent twice, and the ledger agrees with the broker.';
  process.stdout.write(`${isSound ? sound : failed.join('\n')}\n`);
} finally {
  server.end();
}
process.exit(isSound ? 0 : 1);
