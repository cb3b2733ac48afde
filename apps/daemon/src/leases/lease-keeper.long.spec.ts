import { VirtualClock } from '@libs/clock';
import { Database, FleetTable, LeaseTable } from '@libs/postgres';
import { pino } from 'pino';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { Shutdown } from '../shutdown';
import { LeaseKeeper } from './lease-keeper';
import type { UnitLease } from './unit-lease';

const leaseMs = 9_000;
const units = ['a', 'b', 'c', 'd'];

describeWithPostgres('the keeper of leases', () => {
  let server: PostgresServer;
  const databases: Database[] = [];
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(() => (databases.length = 0));
  afterEach(async () => {
    for (const database of databases) await database.close();
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterAll(() => server.end());

  /** A host on a clock of its own; its rounds are those that a test asks for. */
  class Host {
    readonly clock = new VirtualClock();
    readonly shutdown = new Shutdown();
    readonly discarded: string[] = [];
    readonly admitted: string[] = [];
    readonly closed: string[] = [];
    changes = 0;
    prepare = (_lease: UnitLease): Promise<void> => Promise.resolve();
    readonly keeper: LeaseKeeper;

    private constructor(database: Database, id: string, capacity: number) {
      const { clock, shutdown } = this;
      this.keeper = new LeaseKeeper({
        table: new LeaseTable(database, { id, name: id, capacity }, leaseMs),
        ...{ clock, shutdown, leaseMs, id, capacity, logger: pino({ level: 'silent' }), units: () => units },
        prepare: async (lease) => {
          await this.prepare(lease);
          const { name, token } = lease.fence;
          return {
            admit: () => void this.admitted.push(`${name} ${token}`),
            close: () => Promise.resolve(void this.closed.push(`${name} ${token}`)),
          };
        },
        discard: (unit) => Promise.resolve(void this.discarded.push(unit)),
        onChange: () => void this.changes++,
      });
    }

    static async join(id: string, capacity = 10): Promise<Host> {
      const database = await Database.open({ url: server.url, applicationName: id, timeoutMs: 1_000 });
      databases.push(database);
      const host = new Host(database, id, capacity);
      await host.keeper.round();
      return host;
    }

    /** Renews and takes, and lets what was taken be prepared. */
    async round(): Promise<void> {
      await this.keeper.round();
      await new Promise((resolve) => setImmediate(resolve));
    }

    /** Stops the unit that leaves, as the daemon does. @returns its name */
    async letLeave(): Promise<string | null> {
      const lease = this.keeper.leases.find(({ isLeaving }) => isLeaving);
      if (!lease) return null;
      this.keeper.handedOver(lease.fence.name);
      await this.keeper.stopped(lease);
      return lease.fence.name;
    }

    get held(): string[] {
      return units.filter((unit) => this.keeper.leaseOf(unit) !== null);
    }
  }

  const stop = async ({ keeper }: Host, unit: string): Promise<void> => {
    for (const lease of keeper.leases) if (lease.fence.name === unit) await keeper.stopped(lease);
  };
  const expire = (): void => {
    server.sql('trading', `update trading.lease set expires_at = now() - interval '1 s'`);
  };

  it('shares the units with the other hosts, and every unit is on one of them', async () => {
    const hosts = [await Host.join('one'), await Host.join('two')];
    await Promise.all(hosts.map((host) => host.round()));
    await Promise.all(hosts.map((host) => host.round()));
    expect(hosts.map(({ held }) => held.length)).toEqual([2, 2]);
    expect(hosts.flatMap(({ held }) => held).sort()).toEqual(units);
  });

  it('takes no more than its capacity', async () => {
    const host = await Host.join('one', 3);
    for (let round = 0; round < 3; round++) await host.round();
    expect(host.held).toHaveLength(3);
  });

  it('stops the units of a host that was paused once another host has them, for good', async () => {
    const paused = await Host.join('paused');
    await paused.round();
    const leases = paused.keeper.leases;
    await paused.clock.advance(leaseMs);
    expect(leases.map(({ entryProblem }) => entryProblem)).toEqual(
      units.map((unit) => `the lease of ${unit} was not renewed for 9 s`),
    );
    // The server's clock decides, also if it was set ahead.
    expire();
    server.sql('trading', 'delete from trading.host');
    const other = await Host.join('other');
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
    const host = await Host.join('one');
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
    const host = await Host.join('one');
    await host.round();
    host.keeper.leaseOf('b')?.fencedOut('fenced out');
    await host.round();
    expect(host.held).toEqual(['a', 'c', 'd']);
    await stop(host, 'b');
    await host.round();
    expect([host.held, host.keeper.leaseOf('b')?.fence.token]).toEqual([units, 2]);
  });

  it('releases a unit that cannot be prepared, and tries it again later', async () => {
    const host = await Host.join('one');
    host.prepare = ({ fence }) => (fence.name === 'c' ? Promise.reject(new Error('no fence')) : Promise.resolve());
    await host.round();
    await host.round();
    const other = await Host.join('other');
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
    const host = await Host.join('one');
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
      const host = await Host.join('one');
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
      const other = await Host.join('other');
      await other.round();
      expect([next?.fence.token, host.keeper.leaseOf('c'), other.held]).toEqual([2, next, []]);
      expect([host.changes, host.discarded.length, host.keeper.counts.taken]).toEqual(before);
      expect(host.keeper.leases).toContain(next);
      expect(host.admitted).toEqual(['a 1', 'b 1', 'd 1', 'c 2']);
      expect(host.closed).toEqual(end === 'fails' ? [] : ['c 1']);
    },
  );

  it('raises the token of a lease above that of a gateway before the unit runs', async () => {
    const host = await Host.join('one');
    const [raised] = [41];
    host.prepare = async (lease) => {
      if (lease.fence.name === 'a') await host.keeper.raiseAbove(lease, raised);
    };
    await host.round();
    await host.round();
    expect([host.keeper.leaseOf('a')?.fence, host.held]).toEqual([{ name: 'a', token: 42 }, units]);
  });

  it('gives everything back at its end, so that another host takes it at once', async () => {
    const [one, two] = [await Host.join('one'), await Host.join('two')];
    await one.round();
    one.keeper.drain();
    await one.keeper.end();
    await two.round();
    expect([one.held, two.held]).toEqual([[], units]);
  });

  describe('orders of an operator', () => {
    let fleet: FleetTable;
    let one: Host;
    let two: Host;
    beforeEach(async () => {
      one = await Host.join('one');
      await one.round();
      two = await Host.join('two');
      const database = await Database.open({ url: server.url, applicationName: 'operator' });
      databases.push(database);
      fleet = new FleetTable(database);
    });

    it('drain a host one unit after the other, each once the one before has been taken', async () => {
      await fleet.drain('one', true);
      await one.round();
      const [first] = one.keeper.leases;
      expect([one.keeper.isDraining, first?.isLeaving, first?.entryProblem]).toEqual([
        true,
        true,
        'this host is draining',
      ]);
      expect([first?.shutdown.isStopping, first?.shutdown.hasEnded, one.held]).toEqual([true, false, units]);
      await one.round();
      expect(one.keeper.leases.filter(({ isLeaving }) => isLeaving)).toHaveLength(1);
      expect(await one.letLeave()).toBe('a');
      await one.round();
      // Nobody has taken it yet, and this host takes none.
      expect([await one.letLeave(), one.held]).toEqual([null, ['b', 'c', 'd']]);
      for (const unit of ['b', 'c', 'd']) {
        await two.round();
        await one.round();
        expect(await one.letLeave()).toBe(unit);
      }
      await two.round();
      await one.round();
      expect([one.held, two.held, one.keeper.counts]).toEqual([[], units, { taken: 4, lost: 0, given: 4 }]);
      await fleet.drain('one', false);
      await two.keeper.end();
      await one.round();
      expect([one.keeper.isDraining, one.held]).toEqual([false, units]);
    });

    it('drain no unit that no other host may take', async () => {
      await two.keeper.end();
      await fleet.drain('one', true);
      await one.round();
      expect([await one.letLeave(), one.held]).toEqual([null, units]);
      expect(one.keeper.stuck[0]).toEqual({ unit: 'a', obstacle: 'no other host may take it' });
    });

    it('go on with the next unit when nobody took the one before', async () => {
      await fleet.drain('one', true);
      await one.round();
      await one.letLeave();
      await one.round();
      expect(await one.letLeave()).toBeNull();
      await one.clock.advance(leaseMs);
      await one.round();
      expect(await one.letLeave()).toBe('b');
    });

    it('move a unit to one host, beyond its share, while another waits for units as well', async () => {
      const third = await Host.join('three');
      for (const unit of ['a', 'b', 'c']) {
        await fleet.reserve(unit, 'two', 60_000);
        await one.round();
        expect(one.keeper.leaseOf(unit)?.entryProblem).toBe('the unit is moved to host two');
        expect(await one.letLeave()).toBe(unit);
        await third.round();
        await one.round();
        await two.round();
        expect(await fleet.isReserved(unit, 'two')).toBe(false);
      }
      expect([one.held, two.held, third.held]).toEqual([['d'], ['a', 'b', 'c'], []]);
    });

    it('leave a unit to any host when its target ends before it has taken it', async () => {
      await fleet.reserve('a', 'two', 60_000);
      await one.round();
      await one.letLeave();
      await two.keeper.end();
      await one.round();
      expect(one.held).toEqual(units);
    });

    it('leave a unit to its target when the holder dies in between, and to any host after some time', async () => {
      const third = await Host.join('three');
      await fleet.reserve('a', 'two', 60_000);
      expire();
      server.sql('trading', `update trading.lease set expires_at = now() + interval '1 h' where name <> 'a'`);
      await third.round();
      expect(third.held).toEqual([]);
      server.sql('trading', `update trading.lease set reserved_until = now() - interval '1 s'`);
      await third.round();
      expect(third.held).toEqual(['a']);
    });

    it('end when their target has no room', async () => {
      server.sql('trading', `update trading.host set capacity = 0 where id = 'two'`);
      await fleet.reserve('a', 'two', 60_000);
      await one.round();
      expect([await one.letLeave(), await fleet.isReserved('a', 'two'), one.held]).toEqual([null, false, units]);
    });

    it('reach a unit that is lost while it leaves as a loss', async () => {
      await fleet.drain('one', true);
      await one.round();
      server.sql('trading', `update trading.lease set token = token + 1, holder = 'two' where name = 'a'`);
      await one.round();
      expect([one.keeper.counts.lost, one.keeper.counts.given]).toEqual([1, 0]);
    });
  });
});
