import { FleetTable } from '@libs/postgres';
import { fileOf, MemoryFleet, type MemoryHost } from '../testing/memory-fleet';

const file = fileOf({ name: 'trend', magic: 1 }, { name: 'mean', magic: 2 });

describe('a host that cannot reach a gateway, while another one can', () => {
  let fleet: MemoryFleet;
  beforeEach(() => void (fleet = new MemoryFleet()));
  afterEach(() => fleet.end());

  const unitsOf = (host: MemoryHost): readonly string[] => [...host.units].sort();
  /** Two hosts that were started so far apart; the first one cannot reach the gateway. */
  const apart = async (isolation: 'refusing' | 'silent', apartMs: number): Promise<MemoryHost[]> => {
    const hosts = [await fleet.open('one', file), await fleet.open('two', file)] as const;
    hosts[0].isolation = isolation;
    for (const { daemon } of hosts) {
      await fleet.inTime(daemon.deploy());
      await fleet.clock.advance(apartMs);
    }
    return [...hosts];
  };

  // Their rounds of 2 s meet the end of a wait in different orders.
  it.each([0, 300, 1_100, 1_900])('leaves its share to that one, %d ms after it', async (apartMs) => {
    const hosts = await apart('refusing', apartMs);
    await fleet.clock.advance(30_000 - apartMs);
    expect(hosts.map(unitsOf)).toEqual([[], ['mean', 'trend']]);
  });

  it('leaves its share to that one also when the gateway answers nothing at all', async () => {
    const hosts = await apart('silent', 300);
    await fleet.clock.advance(30_000);
    expect(hosts.map(unitsOf)).toEqual([[], ['mean', 'trend']]);
  });

  it('leaves its share to that one also when several others cannot', async () => {
    const hosts = [await fleet.open('one', file), await fleet.open('three', file)];
    for (const host of hosts) {
      host.isolation = 'refusing';
      await fleet.inTime(host.daemon.deploy());
    }
    const two = await fleet.start('two', file);
    await fleet.clock.advance(40_000);
    expect(unitsOf(two)).toEqual(['mean', 'trend']);
  });

  it('keeps the units that it has, until they are moved or it drains', async () => {
    const one = await fleet.start('one', file);
    const two = await fleet.start('two', file);
    one.isolation = 'silent';
    await fleet.clock.advance(120_000);
    expect([one, two].map(unitsOf)).toEqual([['mean', 'trend'], []]);
    const table = new FleetTable(fleet.server.connect());
    await table.reserve('trend', 'two/two', 30_000);
    await fleet.clock.advance(15_000);
    expect([one, two].map(unitsOf)).toEqual([['mean'], ['trend']]);
    await table.drain('one', true);
    await fleet.clock.advance(15_000);
    expect([one, two].map(unitsOf)).toEqual([[], ['mean', 'trend']]);
  });
});
