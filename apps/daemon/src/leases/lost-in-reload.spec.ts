import { fileOf, MemoryFleet } from '../testing/memory-fleet';

const trend = { name: 'trend', magic: 1 };

describe('a unit that is lost while a configuration is taken over', () => {
  it('is handed over with its orders, not removed', async () => {
    const fleet = new MemoryFleet();
    await fleet.apply(1, fileOf(trend));
    const host = await fleet.start('one');
    host.before = async (command) => {
      if (command !== 'newest') return;
      // The next renewal is answered before this is.
      fleet.takeElsewhere('trend', 60_000);
      await fleet.clock.sleep(4_000);
    };
    await fleet.apply(2, fileOf(trend, { name: 'mean', magic: 2 }));
    await fleet.clock.advance(15_000);
    expect([host.daemon.configuration.version, host.units]).toEqual([2, ['mean']]);
    expect(host.daemon.configuration.lastReload).toMatchObject({ outcome: 'applied', removed: [] });
    expect(host.daemon.strategies.map(({ spec }) => spec.name)).toEqual(['mean']);
    const lines = host.lines.join('');
    expect(lines).toContain('handed over to another host');
    expect(lines).not.toContain('removed from the configuration');
    await fleet.end();
  });
});
