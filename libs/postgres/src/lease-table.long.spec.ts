import { Client } from 'pg';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { Database } from './database';
import { FleetTable } from './fleet-table';
import type { Lease } from './lease';
import { LeaseTable, releaseChannel } from './lease-table';

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
  const fleetOf = (): FleetTable => {
    const [database] = databases;
    if (!database) throw new Error('not connected');
    return new FleetTable(database);
  };
  const namesOf = (leases: readonly Lease[]): string[] => leases.map(({ name }) => name).sort();

  it('gives every lease to one of two holders that race for them, and each a token of its own', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
    const [one, two] = [tableOf('one'), tableOf('two', minuteMs, databases[1])];
    await one.announce(names);
    const taken: Lease[][] = [[], []];
    const race = async (table: LeaseTable, own: Lease[]): Promise<void> => {
      for (let round = 0; round < 40; round++) own.push(...(await table.take(names, 7)));
    };
    await Promise.all([race(one, taken[0] ?? []), race(two, taken[1] ?? [])]);
    expect(namesOf(taken.flat())).toEqual([...names].sort());
    expect(taken.every(({ length }) => length > 0)).toBe(true);
    expect(new Set(taken.flat().map(({ token }) => token))).toEqual(new Set([1]));
  });

  it('gives one lease to one of many holders at the same instant, round after round, under growing tokens', async () => {
    await tableOf('any').announce(['trend']);
    for (let round = 1; round <= 20; round++) {
      const takers = databases.flatMap((database, index) =>
        Array.from({ length: 4 }, (_, place) => tableOf(`${index}-${place}`, minuteMs, database).take(['trend'], 1)),
      );
      const taken = (await Promise.all(takers)).flat();
      expect(taken).toEqual([{ name: 'trend', token: round }]);
      server.sql('trading', `update trading.lease set expires_at = '-infinity'`);
    }
  });

  it('gives the first ones first, up to the limit, and none that is held or unknown', async () => {
    const [one, two] = [tableOf('one'), tableOf('two')];
    await one.announce(['a', 'b', 'c']);
    expect(namesOf(await one.take(['c', 'unknown', 'a', 'b'], 2))).toEqual(['a', 'c']);
    expect(namesOf(await two.take(['a', 'b', 'c'], 5))).toEqual(['b']);
  });

  it('keeps what is renewed, all in one statement, and what has expired is free for others', async () => {
    const [one, two] = [tableOf('one', 1_500), tableOf('two')];
    const names = Array.from({ length: 2_000 }, (_, index) => `s${index}`);
    await one.announce(names);
    const held = await one.take(names, 2_000);
    expect((await tableOf('one').renew(held)).size).toBe(2_000);
    expect(await two.take(names, 5)).toEqual([]);
    const [first, second] = held;
    if (!first || !second) throw new Error('nothing is held');
    // The server's clock was set ahead, or the holder paused: the row has ended before the holder expects it.
    server.sql('trading', `update trading.lease set expires_at = now() - interval '1 s' where name = '${first.name}'`);
    expect(await two.take([first.name, second.name], 5)).toEqual([{ name: first.name, token: 2 }]);
    const renewed = await one.renew(held);
    expect([renewed.has(first.name), renewed.has(second.name), renewed.size]).toEqual([false, true, 1_999]);
  });

  it('is renewed by its holder after its end if no other host took it meanwhile', async () => {
    const one = tableOf('one', 0);
    await one.announce(['trend']);
    const held = await one.take(['trend'], 1);
    expect([...(await tableOf('one').renew(held))]).toEqual(['trend']);
    expect(await tableOf('two').take(['trend'], 1)).toEqual([]);
  });

  it('takes back what is released, and notifies the others of it at once', async () => {
    const [one, two] = [tableOf('one'), tableOf('two')];
    await one.announce(['a', 'b']);
    const held = await one.take(['a', 'b'], 2);
    const notified = new Promise<string>((resolve, reject) => {
      void databases[1]?.listen(releaseChannel, resolve, () => reject(new Error('lost'))).catch(reject);
    });
    // A holder that was replaced releases nothing.
    await one.release([{ name: 'a', token: 99 }]);
    await two.release(held);
    expect(await two.take(['a', 'b'], 2)).toEqual([]);
    // The listener may not be there yet.
    await databases[1]?.query({ text: 'select 1' });
    await one.release(held.filter(({ name }) => name === 'a'));
    expect(await notified).toBe('a');
    expect(await two.take(['a', 'b'], 2)).toEqual([{ name: 'a', token: 2 }]);
  });

  it('reports a connection for notifications that is lost', async () => {
    const lost = new Promise<void>((resolve, reject) => {
      databases[1]
        ?.listen(releaseChannel, () => undefined, resolve)
        .then(() => {
          server.sql('trading', `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`);
        }, reject);
    });
    await expect(lost).resolves.toBeUndefined();
  });

  it('raises a token above that of a gateway, for its holder only', async () => {
    const one = tableOf('one');
    await one.announce(['trend']);
    const [lease] = await one.take(['trend'], 1);
    if (!lease) throw new Error('not taken');
    expect(await tableOf('two').raiseAbove(lease, 41)).toBeNull();
    expect(await one.raiseAbove(lease, 41)).toEqual({ name: 'trend', token: 42 });
    expect(await one.renew([lease])).toEqual(new Set());
  });

  it('lists leases with their hosts, and hosts with whether they run', async () => {
    const [one, two, fleet] = [tableOf('one'), tableOf('two', 1_000), fleetOf()];
    await one.announce(['a', 'b']);
    await one.renew(await one.take(['b'], 1));
    await two.renew([]);
    expect(await fleet.leases()).toEqual([
      { name: 'a', token: 0, holder: null, host: null, remainingMs: 0 },
      { name: 'b', token: 1, holder: 'one', host: 'host-one', remainingMs: expect.any(Number) as number },
    ]);
    const age = { capacity: 10, labels: ['fast'], isDraining: false, ageMs: expect.any(Number) as number };
    expect(await fleet.hosts()).toEqual([
      { ...age, id: 'one', name: 'host-one', isRunning: true },
      { ...age, id: 'two', name: 'host-two', isRunning: true },
    ]);
    server.sql('trading', `update trading.host set seen_at = now() - interval '2 s'`);
    expect((await fleet.hosts()).map(({ isRunning }) => isRunning)).toEqual([true, false]);
    await one.leave();
    expect((await fleet.hosts()).map(({ id }) => id)).toEqual(['two']);
    server.sql('trading', `update trading.host set seen_at = now() - interval '2 days'`);
    await one.renew([]);
    expect((await fleet.hosts()).map(({ id }) => id)).toEqual(['one']);
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
    let later: Lease[] = [];
    while (later.length === 0) later = await two.take(['trend'], 1);
    expect(later).toEqual([{ name: 'trend', token: 2 }]);
  });
});
