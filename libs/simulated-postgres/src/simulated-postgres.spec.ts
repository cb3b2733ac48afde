import { VirtualClock } from '@libs/clock';
import { LeaseTable, PostgresStore, type Lease } from '@libs/postgres';
import { fleetTablesContract } from '../../../test/contract/fleet-tables-contract';
import { leaseTableContract } from '../../../test/contract/lease-table-contract';
import { contractTables, tableStoreContract } from '../../../test/contract/table-store-contract';
import { SimulatedPostgres } from './simulated-postgres';

const minuteMs = 60_000;
const host = { id: 'host', name: 'host', capacity: 10, labels: [] };

describe('the simulated PostgreSQL', () => {
  let clock: VirtualClock;
  let server: SimulatedPostgres;
  beforeEach(() => {
    clock = new VirtualClock(Date.UTC(2026, 0, 7));
    server = new SimulatedPostgres(clock);
  });
  const taken = async (id = 'host', leaseMs = minuteMs): Promise<Lease> => {
    const table = new LeaseTable(server.connect(), { ...host, id }, leaseMs);
    await table.announce(['trend']);
    const [lease] = await table.take(['trend'], 1);
    if (!lease) throw new Error('not free');
    return lease;
  };
  const storeOf = (lease: Lease) =>
    PostgresStore.open(server.connect(), { name: 'the journal', lease }, contractTables);

  describe('has tables that', () => {
    tableStoreContract(async () => {
      const lease = await taken();
      return { open: () => storeOf(lease), crash: () => undefined, end: () => undefined };
    });
  });

  describe('has a table of leases that', () => {
    leaseTableContract(() => ({
      connect: () => Promise.resolve(server.connect()),
      empty: () => undefined,
      expire: (name) => server.expire(name),
    }));
  });

  describe('has a fleet that', () => {
    fleetTablesContract(() => ({
      connect: () => Promise.resolve(server.connect()),
      empty: () => undefined,
      pass: (ms) => void (server.offMs += ms),
    }));
  });

  it('takes no write of a replaced holder, and gives the new one what was written before', async () => {
    const before = await storeOf(await taken('old', 0));
    await before.write(({ words }) => void words.put('a', 'old'));
    await clock.advance(1);
    const after = await storeOf(await taken('new'));
    await expect(before.write(({ words }) => void words.put('a', 'late'))).rejects.toThrow(
      'was taken by another holder',
    );
    expect(after.read(({ words }) => words.get('a'))).toBe('old');
  });

  it('has a clock of its own, by which leases end', async () => {
    await taken();
    const other = new LeaseTable(server.connect(), { ...host, id: 'other' }, minuteMs);
    expect(await other.take(['trend'], 1)).toEqual([]);
    server.offMs = minuteMs + 1;
    expect(await other.take(['trend'], 1)).toEqual([{ name: 'trend', token: 2 }]);
  });
});
