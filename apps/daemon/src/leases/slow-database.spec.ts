import { FleetTable } from '@libs/postgres';
import { fileOf, MemoryFleet, type MemoryHost } from '../testing/memory-fleet';

const names = ['trend', 'mean', 'swing', 'break'];
const file = fileOf(...names.map((name, index) => ({ name, magic: index + 1 })));
const [, ...others] = names;

describe('a host with a slow database', () => {
  let fleet: MemoryFleet;
  beforeEach(() => void (fleet = new MemoryFleet()));
  afterEach(() => fleet.end());

  /** A host with one unit, which is about to take the others: a host that had them has ended. */
  const failover = async (statementMs: number): Promise<MemoryHost> => {
    for (const unit of others) fleet.takeElsewhere(unit, 3_600_000);
    const host = await fleet.start('one', file);
    expect(host.units).toEqual(['trend']);
    // One of them is reserved for this host.
    await new FleetTable(fleet.server.connect()).reserve('mean', 'one/one', 600_000);
    // The tokens of the leases are raised as well.
    fleet.stored = 40;
    host.before = () => fleet.clock.sleep(statementMs);
    for (const unit of others) fleet.takeElsewhere(unit, 1);
    return host;
  };

  /** Reads a value ten times a second until the host has all units. @returns the values */
  const untilTaken = async (host: MemoryHost, seen: () => unknown): Promise<ReadonlySet<unknown>> => {
    const all = new Set();
    for (let step = 0; step < 600 && host.units.length < names.length; step++) {
      await fleet.clock.advance(100);
      all.add(seen());
    }
    expect(host.units).toEqual(names);
    return all;
  };

  it('renews its leases while it takes others', async () => {
    const host = await failover(2_500);
    expect(await untilTaken(host, () => fleet.isHeld('trend'))).toEqual(new Set([true]));
    expect(host.daemon.units?.counts.lost).toBe(0);
  });

  it('goes on with entries up to the time for a statement that docs/fleet.md states', async () => {
    const host = await failover(2_200);
    const [trend] = host.daemon.units?.leases ?? [];
    expect(await untilTaken(host, () => trend?.entryProblem)).toEqual(new Set([null]));
  });
});
