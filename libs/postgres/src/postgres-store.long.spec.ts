import type { TableStore } from '@libs/store';
import { contractTables, tableStoreContract, type ContractTables } from '../../../test/contract/table-store-contract';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { Database } from './database';
import { LeaseLostError, type Lease } from './lease';
import { LeaseTable } from './lease-table';
import { PostgresStore } from './postgres-store';

describeWithPostgres('tables on PostgreSQL', () => {
  let server: PostgresServer;
  const databases: Database[] = [];
  let names = 0;
  beforeAll(() => void (server = PostgresServer.start()));
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
  });
  afterAll(() => server.end());

  const connected = async (connections = 4, timeoutMs = 1_000): Promise<Database> => {
    const options = { url: server.url, applicationName: 'test', timeoutMs, connections };
    const database = await Database.open(options);
    databases.push(database);
    return database;
  };
  const leaseOf = async (database: Database, holder: string, name: string, leaseMs = 60_000): Promise<Lease> => {
    const table = new LeaseTable(database, { id: holder, name: holder, capacity: 10, labels: [] }, leaseMs);
    await table.announce([name]);
    const [lease] = await table.take([name], 1);
    if (!lease) throw new Error(`${name} is not free`);
    return lease;
  };
  const storeOf = (database: Database, lease: Lease) =>
    PostgresStore.open(database, { name: 'the journal', lease }, contractTables);
  const wordsOf = (store: TableStore<ContractTables>) => store.read(({ words }) => [...words.getRange()]);
  const put = (store: TableStore<ContractTables>, key: string, value: unknown) =>
    store.write(({ words }) => void words.put(key, value));

  describe('of a lease', () => {
    tableStoreContract(async () => {
      let database = await connected();
      const lease = await leaseOf(database, 'host', `contract-${names++}`);
      return {
        open: () => storeOf(database, lease),
        crash: async () => {
          server.halt('immediate');
          server.boot();
          // It recovers first, for as long as the machine takes.
          database = await connected(4, 30_000);
        },
        end: () => undefined,
      };
    });
  });

  it('are the tables of one lease, and no other sees or changes them', async () => {
    const database = await connected();
    const [one, two] = [await leaseOf(database, 'host', 'one'), await leaseOf(database, 'host', 'two')];
    const [first, second] = [await storeOf(database, one), await storeOf(database, two)];
    await put(first, 'a', 1);
    await put(second, 'a', 2);
    await second.write(({ words }) => void words.remove('a'));
    expect([wordsOf(await storeOf(database, one)), wordsOf(await storeOf(database, two))]).toEqual([
      [{ key: 'a', value: 1 }],
      [],
    ]);
  });

  it('take no write of a replaced holder, which gets an error of its own, at once and later', async () => {
    const database = await connected();
    const old = await leaseOf(database, 'old', 'replaced', 0);
    const before = await storeOf(database, old);
    await put(before, 'a', 'old');
    const taken = await leaseOf(await connected(), 'new', 'replaced');
    expect(taken.token).toBe(old.token + 1);
    await expect(put(before, 'a', 'late')).rejects.toThrow(LeaseLostError);
    await expect(put(before, 'b', 'later')).rejects.toThrow(
      `the lease replaced with token ${old.token} was taken by another holder`,
    );
    expect(before.condition).toMatchObject({ writable: false });
    expect(await before.probe()).toMatchObject({ writable: false });
    const after = await storeOf(database, taken);
    expect(wordsOf(after)).toEqual([{ key: 'a', value: 'old' }]);
    await expect(storeOf(database, old)).rejects.toThrow(LeaseLostError);
  });

  it('have every write that a replaced holder made before, also one that races with the new holder', async () => {
    const [here, there] = [await connected(), await connected()];
    for (let round = 0; round < 20; round++) {
      const name = `race-${round}`;
      const before = await storeOf(here, await leaseOf(here, 'old', name, 0));
      const writes = Array.from({ length: 8 }, (_, index) =>
        put(before, `k${index}`, index).then(
          () => `k${index}`,
          () => null,
        ),
      );
      const table = new LeaseTable(there, { id: 'new', name: 'new', capacity: 1, labels: [] }, 60_000);
      let taken: readonly Lease[] = [];
      while (taken.length === 0) taken = await table.take([name], 1);
      const [lease] = taken;
      const after = lease && (await storeOf(there, lease));
      const found = after ? wordsOf(after).map(({ key }) => key) : [];
      const written = (await Promise.all(writes)).filter((key) => key !== null);
      expect(found).toEqual(written);
    }
  });

  it('fail while the server is down, and go on with what it has once it is back', async () => {
    const database = await connected();
    const lease = await leaseOf(database, 'host', 'outage');
    const store = await storeOf(database, lease);
    await put(store, 'a', 1);
    server.halt('immediate');
    await expect(put(store, 'b', 2)).rejects.toThrow(/^the journal cannot be written: /);
    expect([wordsOf(store), store.condition]).toEqual([
      [{ key: 'a', value: 1 }],
      { writable: false, reason: expect.any(String) as string },
    ]);
    server.boot();
    expect(await store.probe()).toEqual({ writable: true });
    await put(store, 'c', 3);
    expect(wordsOf(store)).toEqual([
      { key: 'a', value: 1 },
      { key: 'c', value: 3 },
    ]);
    expect(wordsOf(await storeOf(database, lease))).toEqual(wordsOf(store));
  });

  it('fail together while the server hangs, and not one after the other', async () => {
    const database = await connected();
    const store = await storeOf(database, await leaseOf(database, 'host', 'hang'));
    server.signal('SIGSTOP');
    const [first, second] = [put(store, 'a', 1), put(store, 'b', 2)];
    second.catch(() => undefined);
    await expect(first).rejects.toThrow(/timeout/i);
    server.signal('SIGCONT');
    await expect(second).rejects.toThrow(/timeout/i);
    await put(store, 'c', 3);
    expect(wordsOf(store).map(({ key }) => key)).toContain('c');
  });

  it('never let a write whose connection was lost undo a later one', async () => {
    const database = await connected(1);
    const lease = await leaseOf(database, 'host', 'late');
    const store = await storeOf(database, lease);
    await put(store, 'a', 'first');
    // Its server process stops, and carries out what it was sent once the client has long gone on with another one.
    const pid = await backendOf(database);
    process.kill(pid, 'SIGSTOP');
    await expect(put(store, 'a', 'unanswered')).rejects.toThrow(/timeout/i);
    await put(store, 'a', 'newest');
    process.kill(pid, 'SIGCONT');
    while (server.sql('trading', `select count(*) from pg_stat_activity where pid = ${pid}`) !== '0') continue;
    expect(wordsOf(await storeOf(database, lease))).toEqual([{ key: 'a', value: 'newest' }]);
  });
});

/** The server's process of a database with one connection. */
async function backendOf(database: Database): Promise<number> {
  const [row] = await database.query<{ readonly pid: number }>({ text: 'select pg_backend_pid() as pid' });
  if (!row) throw new Error('no process');
  return row.pid;
}
