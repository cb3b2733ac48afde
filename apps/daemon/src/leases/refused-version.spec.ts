import { healthOf } from '../control/snapshots';
import { fileOf, MemoryFleet } from '../testing/memory-fleet';

const trend = { name: 'trend', magic: 1 };
const mean = { name: 'mean', magic: 2 };

describe('a host that refuses a version of the configuration', () => {
  let fleet: MemoryFleet;
  beforeEach(() => void (fleet = new MemoryFleet()));
  afterEach(() => fleet.end());

  it('keeps its units, takes none that become free, and takes the version over once it can', async () => {
    await fleet.apply(1, fileOf(trend, mean));
    const refusing = await fleet.start('refusing');
    expect(refusing.units).toEqual(['trend', 'mean']);
    refusing.refusal = 'gateways.demo.apiKeyEnv names K, which is not set';
    await fleet.apply(2, fileOf(trend));
    await fleet.clock.advance(10_000);
    // Another host had taken the unit, and has ended since.
    fleet.takeElsewhere('mean');
    await fleet.clock.advance(30_000);
    expect([refusing.units, refusing.daemon.configuration.version]).toEqual([['trend'], 1]);
    expect(healthOf(refusing.daemon, true)).toMatchObject({
      problems: expect.arrayContaining([
        'This host refused the newest version of the configuration and takes no units; lastReload has the reason.',
      ]) as unknown,
      config: { version: 1, lastReload: { outcome: 'refused', problems: [refusing.refusal] } },
    });
    expect(refusing.lines.filter((line) => line.includes('the configuration could not be applied'))).toHaveLength(1);
    refusing.refusal = null;
    await fleet.clock.advance(10_000);
    expect([refusing.units, refusing.daemon.configuration.version]).toEqual([['trend'], 2]);
    expect((healthOf(refusing.daemon, true) as { problems: string[] }).problems.join()).not.toContain('newest version');
    await fleet.apply(3, fileOf(trend, mean));
    await fleet.clock.advance(10_000);
    expect(refusing.units).toEqual(['trend', 'mean']);
  });

  it('takes no unit before it has read the version', async () => {
    await fleet.apply(1, fileOf(trend, mean));
    fleet.takeElsewhere('mean', 60_000);
    const slow = await fleet.start('slow');
    let isReading = true;
    slow.before = async (command) => {
      while (isReading && command === 'newest') await fleet.clock.sleep(100);
    };
    await fleet.apply(2, fileOf(trend));
    await fleet.clock.advance(60_000);
    expect(slow.units).toEqual(['trend']);
    isReading = false;
    await fleet.clock.advance(10_000);
    expect([slow.units, slow.daemon.configuration.version]).toEqual([['trend'], 2]);
  });

  it('takes no unit that it saw before it took over the version that removed it', async () => {
    await fleet.apply(1, fileOf(trend, mean));
    fleet.takeElsewhere('mean', 600_000);
    const host = await fleet.start('one');
    let isLooking = false;
    let mayLook = false;
    host.before = async (command) => {
      while (command === 'open' && !mayLook) {
        isLooking = true;
        await fleet.clock.sleep(100);
      }
    };
    while (!isLooking) await fleet.clock.advance(100);
    await fleet.apply(2, fileOf(trend));
    await fleet.clock.advance(1_000);
    expect(host.daemon.configuration.version).toBe(2);
    fleet.takeElsewhere('mean', 1);
    mayLook = true;
    await fleet.clock.advance(5_000);
    expect(host.units).toEqual(['trend']);
    expect(host.lines.filter((line) => line.includes('lease taken') && line.includes('mean'))).toEqual([]);
  });

  it('takes units by a file, whatever is in the database', async () => {
    await fleet.apply(1, fileOf(trend));
    expect((await fleet.start('by-file', fileOf(mean))).units).toEqual(['mean']);
  });
});
