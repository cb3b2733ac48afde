import type { CommandName } from '@libs/postgres';
import { fileOf, MemoryFleet, type MemoryHost } from '../testing/memory-fleet';

const file = fileOf({ name: 'trend', magic: 1 }, { name: 'mean', magic: 2 });

describe('a host that is stopped', () => {
  let fleet: MemoryFleet;
  beforeEach(() => void (fleet = new MemoryFleet()));
  afterEach(() => fleet.end());

  it('while it deploys takes no leases', async () => {
    const host = await fleet.open('one', file);
    const commands: CommandName[] = [];
    host.before = (command) => Promise.resolve(void commands.push(command));
    const deployed = host.daemon.deploy();
    await fleet.inTime(host.daemon.stop());
    await deployed;
    await fleet.clock.advance(30_000);
    expect([commands.filter((command) => command === 'renew'), fleet.raised]).toEqual([[], []]);
  });

  /** The first unit is lost while it starts, so that it takes a while to stop, and the second one is taken meanwhile. */
  const changing = async (): Promise<MemoryHost> => {
    fleet.takeElsewhere('mean', 60_000);
    const host = await fleet.start('one', file);
    fleet.failsAfterMs = 6_000;
    void host.daemon.strategies[0]?.restart();
    fleet.takeElsewhere('trend', 60_000);
    fleet.takeElsewhere('mean', 1);
    await fleet.clock.advance(4_500);
    expect(host.units).toEqual(['mean']);
    return host;
  };

  it('while a unit stops there runs none that was taken meanwhile, and gives its lease back', async () => {
    const host = await changing();
    await fleet.inTime(host.daemon.stop());
    await fleet.clock.advance(30_000);
    expect(host.lines.join('')).not.toContain('"strategy":"mean"');
    expect(fleet.isHeld('mean')).toBe(false);
  });

  it('while it takes a lease gives it back, and leaves the fleet before that', async () => {
    const host = await fleet.open('one', file);
    const commands: CommandName[] = [];
    host.before = async (command) => {
      commands.push(command);
      if (command === 'take') await fleet.clock.sleep(3_000);
    };
    await fleet.inTime(host.daemon.deploy());
    while (!commands.includes('take')) await fleet.clock.advance(100);
    // Another round is due when this one ends.
    await fleet.clock.advance(2_500);
    await fleet.inTime(host.daemon.stop());
    await fleet.clock.advance(5_000);
    expect([fleet.isHeld('trend'), fleet.isHeld('mean'), await fleet.knownHosts()]).toEqual([false, false, []]);
    const order = commands.filter((command) => command === 'leave' || command === 'release');
    expect([order[0], new Set(order.slice(1))]).toEqual(['leave', new Set(['release'])]);
  });

  it('while it raises the token of a lease gives it back under the new one', async () => {
    fleet.stored = 40;
    const host = await fleet.open('one', fileOf({ name: 'trend', magic: 1 }));
    let isRaising = false;
    host.before = async (command) => {
      if (command !== 'raise') return;
      isRaising = true;
      await fleet.clock.sleep(3_000);
    };
    await fleet.inTime(host.daemon.deploy());
    while (!isRaising) await fleet.clock.advance(100);
    await fleet.inTime(host.daemon.stop());
    expect(fleet.isHeld('trend')).toBe(false);
  });

  it('while it is about to listen does not listen afterwards', async () => {
    const host = await fleet.open('one', file);
    host.listensAfterMs = 20_000;
    await fleet.inTime(host.daemon.deploy());
    await fleet.inTime(host.daemon.stop());
    await fleet.clock.advance(60_000);
    expect(host.listening).toBe(0);
  });

  it('while the port of a strategy opens does not start it', async () => {
    const host = await fleet.open('one', file);
    host.opensAfterMs = 5_000;
    await fleet.inTime(host.daemon.deploy());
    await fleet.clock.advance(4_000);
    expect(host.units).toEqual(['trend', 'mean']);
    await fleet.inTime(host.daemon.stop());
    const { requests } = fleet;
    await fleet.clock.advance(30_000);
    expect(fleet.requests).toBe(requests);
  });

  it('while a lease is given back starts no unit that was to start after it', async () => {
    const host = await changing();
    let releases = 0;
    host.before = async (command) => {
      if (command === 'release' && releases++ === 0) await fleet.clock.sleep(5_000);
    };
    while (releases === 0) await fleet.clock.advance(500);
    await fleet.inTime(host.daemon.stop());
    await fleet.clock.advance(30_000);
    expect(host.lines.join('')).toContain('"strategy":"mean"');
    expect(host.lines.filter((line) => line.includes('deployed') && line.includes('mean'))).toEqual([]);
  });
});
