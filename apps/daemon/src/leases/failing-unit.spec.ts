import { Fleet } from '../runtime/fleet';
import { fileOf, MemoryFleet } from '../testing/memory-fleet';

const trend = { name: 'trend', magic: 1 };

describe('a host that cannot start all of its units', () => {
  let fleet: MemoryFleet;
  beforeEach(() => void (fleet = new MemoryFleet()));
  afterEach(async () => {
    await fleet.end();
    jest.restoreAllMocks();
  });

  it('runs the others, and releases the lease of a unit if its strategy cannot be created', async () => {
    const broken = { name: 'mean', magic: 2, capital: Number.NaN };
    const host = await fleet.start('one', fileOf(broken, trend));
    expect(host.deployed).toEqual(['trend']);
    expect(host.daemon.strategies.map(({ spec }) => spec.name)).toEqual(['trend']);
    expect([fleet.isHeld('trend'), fleet.isHeld('mean')]).toEqual([true, false]);
    expect(host.lines.join('')).toContain('mean cannot run here');
    await fleet.clock.advance(5_000);
    // The host tries the unit again after the duration of a lease.
    expect(fleet.raised.filter((raise) => raise.startsWith('mean')).length).toBeLessThan(3);
  });

  it('starts the strategies that it has added, also if a later step fails', async () => {
    jest.spyOn(Fleet.prototype, 'arrange').mockImplementationOnce(() => Promise.resolve());
    jest.spyOn(Fleet.prototype, 'arrange').mockRejectedValueOnce(new Error('the disk is full'));
    const host = await fleet.open('one', fileOf(trend));
    await fleet.inTime(host.daemon.deploy());
    await fleet.clock.advance(4_000);
    expect([host.units, host.deployed]).toEqual([['trend'], []]);
    await fleet.clock.advance(6_000);
    expect(host.deployed).toEqual(['trend']);
  });
});
