import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { LeasedHost, leaseMs } from '../testing/leased-host';

const units = ['a', 'b', 'c', 'd'];

describeWithPostgres('the keeper of leases', () => {
  let server: PostgresServer;
  const hosts: LeasedHost[] = [];
  beforeAll(() => void (server = PostgresServer.start()));
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterAll(() => server.end());

  const join = async (id: string, capacity = 10): Promise<LeasedHost> => {
    const all = units.map((name) => ({ name, runsOn: [] }));
    const host = await LeasedHost.join({ url: server.url, id, capacity, units: () => all });
    hosts.push(host);
    return host;
  };
  const stop = async ({ keeper }: LeasedHost, unit: string): Promise<void> => {
    for (const lease of keeper.leases) if (lease.fence.name === unit) await keeper.stopped(lease);
  };
  const expire = (): void => {
    server.sql('trading', `update trading.lease set expires_at = now() - interval '1 s'`);
  };

  it('shares the units with the other hosts, and every unit is on one of them', async () => {
    const both = [await join('one'), await join('two')];
    await Promise.all(both.map((host) => host.round()));
    await Promise.all(both.map((host) => host.round()));
    expect(both.map(({ held }) => held.length)).toEqual([2, 2]);
    expect(both.flatMap(({ held }) => held).sort()).toEqual(units);
  });

  it('takes no more than its capacity', async () => {
    const host = await join('one', 3);
    for (let round = 0; round < 3; round++) await host.round();
    expect(host.held).toHaveLength(3);
  });

  it('stops the units of a host that was paused once another host has them, for good', async () => {
    const paused = await join('paused');
    await paused.round();
    const leases = paused.keeper.leases;
    await paused.clock.advance(leaseMs);
    expect(leases.map(({ entryProblem }) => entryProblem)).toEqual(
      units.map((unit) => `the lease of ${unit} was not renewed for 9 s`),
    );
    // The server's clock decides, also if it was set ahead.
    expire();
    server.sql('trading', 'delete from trading.host');
    const other = await join('other');
    await other.round();
    expect(other.held).toEqual(units);
    await paused.round();
    expect(paused.held).toEqual([]);
    expect(leases.map(({ shutdown }) => shutdown.hasEnded)).toEqual([true, true, true, true]);
    expect([paused.keeper.counts.lost, paused.changes]).toEqual([4, 8]);
    for (const lease of leases) await paused.keeper.stopped(lease);
    await other.round();
    expect([other.held, paused.discarded]).toEqual([units, units]);
  });

  it('permits no entries while the database does not answer, and goes on when it does', async () => {
    const host = await join('one');
    await host.round();
    server.halt('immediate');
    await host.clock.advance((leaseMs * 2) / 3);
    await host.round();
    expect(host.keeper.problem).not.toBeNull();
    expect(host.keeper.leases.every(({ entryProblem }) => entryProblem !== null)).toBe(true);
    server.boot();
    await host.round();
    expect(host.keeper.problem).toBeNull();
    expect([host.held, host.keeper.leases.every(({ entryProblem }) => entryProblem === null)]).toEqual([units, true]);
  });

  it('does not take a unit again before it has stopped here', async () => {
    const host = await join('one');
    await host.round();
    host.keeper.leaseOf('b')?.fencedOut('fenced out');
    await host.round();
    expect(host.held).toEqual(['a', 'c', 'd']);
    await stop(host, 'b');
    await host.round();
    expect([host.held, host.keeper.leaseOf('b')?.fence.token]).toEqual([units, 2]);
  });

  it('releases a unit that cannot be prepared, and tries it again later', async () => {
    const host = await join('one');
    host.prepare = ({ fence }) => (fence.name === 'c' ? Promise.reject(new Error('no fence')) : Promise.resolve());
    await host.round();
    await host.round();
    const other = await join('other');
    await other.round();
    expect([host.held, other.held]).toEqual([['a', 'b', 'd'], ['c']]);
    await other.keeper.end();
    host.prepare = () => Promise.resolve();
    await host.round();
    expect(host.held).toEqual(['a', 'b', 'd']);
    await host.clock.advance(leaseMs);
    await host.round();
    expect(host.held).toEqual(units);
  });

  it('never runs a unit whose lease was lost while it was prepared', async () => {
    const host = await join('one');
    let prepared = (): void => undefined;
    host.prepare = () => new Promise((resolve) => (prepared = resolve));
    await host.keeper.round();
    server.sql('trading', `update trading.lease set token = token + 1, holder = 'other'`);
    await host.round();
    prepared();
    await host.round();
    expect([host.held, host.changes]).toEqual([[], 0]);
  });

  it.each(['fails', 'succeeds'])(
    'keeps the next lease of a unit when the preparation of the first %s late',
    async (end) => {
      const host = await join('one');
      let ends = (): void => undefined;
      host.prepare = ({ fence: { name, token } }) =>
        name !== 'c' || token > 1
          ? Promise.resolve()
          : new Promise((resolve, reject) => {
              ends = () => (end === 'fails' ? reject(new Error('no fence')) : resolve());
            });
      await host.round();
      // A reload removes the unit, and another one adds it again.
      await stop(host, 'c');
      await host.round();
      const next = host.keeper.leaseOf('c');
      const before = [host.changes, host.discarded.length, host.keeper.counts.taken];
      ends();
      await host.round();
      const other = await join('other');
      await other.round();
      expect([next?.fence.token, host.keeper.leaseOf('c'), other.held]).toEqual([2, next, []]);
      expect([host.changes, host.discarded.length, host.keeper.counts.taken]).toEqual(before);
      expect(host.keeper.leases).toContain(next);
      expect(host.admitted).toEqual(['a 1', 'b 1', 'd 1', 'c 2']);
      expect(host.closed).toEqual(end === 'fails' ? [] : ['c 1']);
    },
  );

  it('raises the token of a lease above that of a gateway before the unit runs', async () => {
    const host = await join('one');
    const [raised] = [41];
    host.prepare = async (lease) => {
      if (lease.fence.name === 'a') await host.keeper.raiseAbove(lease, raised);
    };
    await host.round();
    await host.round();
    expect([host.keeper.leaseOf('a')?.fence, host.held]).toEqual([{ name: 'a', token: 42 }, units]);
  });

  it('gives everything back at its end, so that another host takes it at once', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await one.round();
    one.keeper.drain();
    await one.keeper.end();
    await two.round();
    expect([one.held, two.held]).toEqual([[], units]);
  });
});
