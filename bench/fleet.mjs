// `npm run bench:fleet`: takeovers of a fleet, with real daemons, one gateway and a PostgreSQL server of its own. Needs
// `npm run build` and the programs of PostgreSQL. BENCH_ROUNDS takeovers by each signal (5), BENCH_TAKEOVERS under trading (200),
// BENCH_LEASES (2000), BENCH_LEASE_SECONDS (3). Ends with 1 when a strategy was run twice or the books differ.
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { markdown } from './table.mjs';
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
  leaseSeconds: number('BENCH_LEASE_SECONDS', 3),
};

const { PostgresServer } = require('../test/e2e/programs/postgres.ts');
const server = PostgresServer.start();
let isSound = false;
try {
  const renewed = await leaseRenewals(require, server, effort.leases);
  const { rows, problems } = await takeovers(require, server, effort);
  isSound = problems.length === 0;
  process.stdout.write(`${cpus()[0]?.model.trim()}, ${cpus().length} processors, Node ${process.version}\n\n`);
  process.stdout.write(`${markdown([['figure', 'median', 'longest', 'of'], renewed, ...rows])}\n\n`);
  process.stdout.write(
    `${isSound ? 'No strategy was run twice, no key was sent twice, and the ledger agrees with the broker.' : problems.join('\n')}\n`,
  );
} finally {
  server.end();
}
process.exit(isSound ? 0 : 1);
