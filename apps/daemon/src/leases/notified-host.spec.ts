import { fileOf, MemoryFleet } from '../testing/memory-fleet';

const file = fileOf({ name: 'trend', magic: 1 }, { name: 'mean', magic: 2 });

describe('a host that is notified', () => {
  it('reads the version of the configuration when one was applied, and not when a lease is released', async () => {
    const fleet = new MemoryFleet();
    await fleet.apply(1, file);
    const ending = await fleet.start('ending');
    const host = await fleet.start('staying');
    expect([ending.units, host.units]).toEqual([['trend', 'mean'], []]);
    let reads = 0;
    host.before = (command) => Promise.resolve(void (reads += Number(command === 'newestVersion')));
    // The host also reads the version every five seconds, without a notification.
    await fleet.clock.advance(5_000);
    expect(reads).toBe(1);
    await ending.daemon.units?.end();
    await fleet.clock.advance(100);
    expect([host.units, reads]).toEqual([['trend', 'mean'], 1]);
    await fleet.apply(2, file);
    await fleet.clock.advance(100);
    expect(reads).toBe(2);
    await fleet.end();
  });

  it('listens again once, also if both an error and a loss report that it does not', async () => {
    const fleet = new MemoryFleet();
    const host = await fleet.open('alone', file);
    host.losesListening = true;
    await fleet.inTime(host.daemon.deploy());
    expect(host.listens).toBe(1);
    await fleet.clock.advance(30_000);
    expect(host.listens).toBe(4);
    host.losesListening = false;
    await fleet.clock.advance(30_000);
    expect([host.listens, host.listening]).toEqual([5, 1]);
    await fleet.end();
    expect(host.listening).toBe(0);
  });
});
