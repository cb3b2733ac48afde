import { Client } from 'pg';
import { fleetTablesContract } from '../../../test/contract/fleet-tables-contract';
import { leaseTableContract } from '../../../test/contract/lease-table-contract';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { Database } from './database';
import type { Lease } from './lease';
import { LeaseTable } from './lease-table';

const minuteMs = 60_000;

describeWithPostgres('the table of leases', () => {
  let server: PostgresServer;
  let databases: Database[];
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(async () => {
    databases = await Promise.all([connected(), connected()]);
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterEach(async () => {
    for (const database of databases) await database.close();
  });
  afterAll(() => server.end());

  const connected = (): Promise<Database> => Database.open({ url: server.url, applicationName: 'test' });
  const tableOf = (id: string, leaseMs = minuteMs, database = databases[0]): LeaseTable => {
    if (!database) throw new Error('not connected');
    return new LeaseTable(database, { id, name: `host-${id}`, capacity: 10, labels: ['fast'] }, leaseMs);
  };
  const namesOf = (leases: readonly Lease[]): string[] => leases.map(({ name }) => name).sort();

  describe('as on every server', () => {
    leaseTableContract(() => ({
      connect: connected,
      empty: () => void server.sql('trading', 'truncate trading.lease, trading.host'),
      expire: (name) => {
        server.sql('trading', `update trading.lease set expires_at = now() - interval '1 s' where name = '${name}'`);
      },
    }));
  });

  describe('with their hosts, as on every server', () => {
    fleetTablesContract(() => ({
      connect: connected,
      empty: () =>
        void server.sql('trading', 'truncate trading.lease, trading.entry, trading.host, trading.configuration'),
      pass: (ms) => {
        server.sql('trading', `update trading.host set seen_at = seen_at - ${ms} * interval '1 millisecond'`);
      },
    }));
  });

  it('reports a connection for notifications that is lost', async () => {
    const lost = new Promise<void>((resolve, reject) => {
      databases[1]
        ?.listen(() => undefined, resolve)
        .then(() => {
          server.sql('trading', `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`);
        }, reject);
    });
    await expect(lost).resolves.toBeUndefined();
  });

  it('locks nothing while a holder is paused in the middle of a write', async () => {
    const [one, two] = [tableOf('one', 0), tableOf('two')];
    await one.announce(['trend', 'other']);
    await one.take(['trend', 'other'], 2);
    const paused = new Client({ connectionString: server.url });
    await paused.connect();
    await paused.query(`begin; update lease set commits = commits + 1 where name = 'trend'`);
    expect(namesOf(await two.take(['trend', 'other'], 2))).toEqual(['other']);
    await paused.end();
    let later: readonly Lease[] = [];
    while (later.length === 0) later = await two.take(['trend'], 1);
    expect(later).toEqual([{ name: 'trend', token: 2 }]);
  });

  it('makes rows in the order of their names, so that hosts with other orders never wait for each other', async () => {
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await other.query(`begin; insert into lease (name) values ('a')`);
    const announced = tableOf('one').announce(['b', 'a']);
    announced.catch(() => undefined);
    const waiting = `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into lease%'`;
    while (server.sql('trading', waiting) !== '1') await new Promise(setImmediate);
    await other.query(`insert into lease (name) values ('b'); commit`);
    await expect(announced).resolves.toBeUndefined();
    await other.end();
  });
});
