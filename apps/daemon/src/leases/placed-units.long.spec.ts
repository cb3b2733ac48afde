import { Database, FleetTable } from '@libs/postgres';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { LeasedHost, leaseMs } from '../testing/leased-host';

const units = ['a', 'b', 'c', 'd'];

describeWithPostgres('the placement of units on hosts', () => {
  let server: PostgresServer;
  const hosts: LeasedHost[] = [];
  /** Labels that units need. */
  let runsOn: Readonly<Record<string, readonly string[]>> = {};
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(() => void (runsOn = {}));
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterAll(() => server.end());

  const join = async (id: string, capacity = 10, labels: readonly string[] = []): Promise<LeasedHost> => {
    const placed = () => units.map((name) => ({ name, runsOn: runsOn[name] ?? [] }));
    const host = await LeasedHost.join({ url: server.url, id, capacity, labels, units: placed });
    hosts.push(host);
    return host;
  };
  const expire = (): void => {
    server.sql('trading', `update trading.lease set expires_at = now() - interval '1 s'`);
  };

  describe('labels', () => {
    it('permit a unit only on hosts that have all of them, and one that no host may take is reported', async () => {
      runsOn = { c: ['fast'], d: ['fast', 'near'] };
      const plain = await join('plain');
      const fast = await join('fast', 2, ['fast', 'far']);
      await plain.round();
      await fast.round();
      // The share of a host is one of the two that both may run.
      expect([plain.held, fast.held]).toEqual([['a'], ['b', 'c']]);
      await plain.round();
      for (const { keeper } of [plain, fast]) {
        expect(keeper.unplaced).toEqual([{ unit: 'd', problem: 'no running host has the labels fast, near' }]);
      }
      const near = await join('near', 1, ['near', 'fast']);
      await near.round();
      await plain.round();
      expect([near.held, plain.keeper.unplaced]).toEqual([['d'], []]);
    });

    it('have a host take first what the fewest hosts may run, and the others beyond their share what it has no room for', async () => {
      runsOn = { c: ['fast'], d: ['fast'] };
      const fast = await join('fast', 2, ['fast']);
      const plain = await join('plain');
      await fast.round();
      await plain.round();
      expect([fast.held, plain.held]).toEqual([['c', 'd'], ['a']]);
      await plain.round();
      expect(plain.held).toEqual(['a']);
      await plain.clock.advance(leaseMs);
      await plain.round();
      expect(plain.held).toEqual(['a', 'b']);
    });

    it('have a host give away what they do not permit any more, once another host may take it', async () => {
      const plain = await join('plain');
      await plain.round();
      runsOn = { b: ['fast'] };
      await plain.round();
      const stuck = [{ unit: 'b', obstacle: 'no other host may take it' }];
      expect([await plain.letLeave(), plain.keeper.stuck]).toEqual([null, stuck]);
      const fast = await join('fast', 1, ['fast']);
      await plain.round();
      expect(await plain.letLeave()).toBe('b');
      await fast.round();
      expect([plain.held, fast.held]).toEqual([['a', 'c', 'd'], ['b']]);
    });
  });

  describe('orders of an operator', () => {
    let operator: Database;
    let fleet: FleetTable;
    let one: LeasedHost;
    let two: LeasedHost;
    beforeEach(async () => {
      one = await join('one');
      await one.round();
      two = await join('two');
      operator = await Database.open({ url: server.url, applicationName: 'operator' });
      fleet = new FleetTable(operator);
    });
    afterEach(() => operator.close());

    it('drain a host one unit after the other, each once the one before has been taken', async () => {
      await fleet.drain('one', true);
      await one.round();
      const [first] = one.keeper.leases;
      expect([one.keeper.isDraining, first?.isLeaving, first?.entryProblem]).toEqual([
        true,
        true,
        'the unit is given to another host',
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

    it('go on with the next unit when no host took the one before', async () => {
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
      const third = await join('three');
      for (const unit of ['a', 'b', 'c']) {
        await fleet.reserve(unit, 'two', 60_000);
        await one.round();
        expect(one.keeper.leaseOf(unit)?.entryProblem).toBe('the unit is moved to two');
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
      const third = await join('three');
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
