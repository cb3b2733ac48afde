import { fileOf, MemoryFleet } from '../testing/memory-fleet';

describe('a strategy that is renamed by a reload', () => {
  it('gets its fences raised only when the strategy of the old name has stopped', async () => {
    const fleet = new MemoryFleet();
    const host = await fleet.start('one', fileOf({ name: 'trend', magic: 1 }));
    expect(fleet.raised).toEqual(['trend 1']);
    host.file = fileOf({ name: 'renamed', magic: 1 }, { name: 'mean', magic: 2 });
    // The account is read before the strategy is removed.
    fleet.failsAfterMs = 8_000;
    const reload = host.daemon.reload();
    await fleet.clock.advance(7_000);
    expect(fleet.raised).toEqual(['trend 1', 'mean 1']);
    fleet.failsAfterMs = 0;
    expect(await fleet.inTime(reload)).toMatchObject({ outcome: 'applied', removed: ['trend'] });
    await fleet.clock.advance(4_000);
    expect([host.units, fleet.raised]).toEqual([
      ['renamed', 'mean'],
      ['trend 1', 'mean 1', 'renamed 1'],
    ]);
    expect(host.lines.join('')).not.toContain('handed over');
    await fleet.end();
  });
});
