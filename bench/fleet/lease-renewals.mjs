import { performance } from 'node:perf_hooks';
import { figure } from './figure.mjs';

const renewals = 20;

/** How long one host takes to renew all its leases, which it does in one statement. */
export async function leaseRenewals(require, server, count) {
  const { Database, LeaseTable } = require('../libs/postgres/src/index.ts');
  const database = await Database.open({ url: server.url, applicationName: 'bench' });
  const names = Array.from({ length: count }, (_, index) => `bench-${index}`);
  const statements = [];
  const counted = {
    call: (name, args) => {
      statements.push(name);
      return database.call(name, args);
    },
  };
  const table = new LeaseTable(counted, { id: 'bench', name: 'bench', capacity: count, labels: [] }, 60_000);
  await table.announce(names);
  const leases = await table.take(names, count);
  statements.length = 0;
  const times = [];
  for (let round = 0; round < renewals; round++) {
    const beganMs = performance.now();
    const renewed = await table.renew(leases);
    times.push(performance.now() - beganMs);
    if (renewed.size !== count) throw new Error(`${renewed.size} of ${count} leases were renewed`);
  }
  if (statements.length !== renewals) throw new Error(`${renewals} renewals took ${statements.length} statements`);
  await database.close();
  server.sql('trading', 'truncate trading.lease, trading.host');
  return figure(`${count} leases are renewed in one statement`, times);
}
