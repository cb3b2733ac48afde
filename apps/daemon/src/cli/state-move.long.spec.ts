import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { LeaseTable, PostgresStore } from '@libs/postgres';
import { StateLock } from '@libs/state-lock';
import { open } from 'lmdb';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { waitUntil } from '../../../../test/e2e/programs/waits';
import { StateStore, stateTables, type Dump } from '../state/state-store';
import { printedBy } from '../testing/printed';
import { movedUnits as units, StateMoveRig } from '../testing/state-move-rig';

/** That a move has changed nothing: the state can be used where it was, and no host has it. */
const expectUntouched = async (rig: StateMoveRig): Promise<void> => {
  expect(rig.written()).toEqual([]);
  await rig.started({});
  expect(await rig.linesOf()).toEqual(await rig.linesOfFixture());
};

describeWithPostgres('daemon state move', () => {
  let server: PostgresServer;
  let rig: StateMoveRig;
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(async () => void (rig = await StateMoveRig.make(server)));
  afterEach(() => rig.end());
  afterAll(() => server.end());

  it('shows with --dry-run what it would move, and writes nothing', async () => {
    const before = readdirSync(rig.stateDir);
    expect(await rig.move('--dry-run')).toBe(
      [
        'UNIT    OPEN TICKETS  OPEN REQUESTS  STACKS  HALTS  ENTRIES',
        'book    0             1              0       0      10',
        'flip    0             1              0       0      9',
        'ladder  1             0              1       0      6\n',
      ].join('\n'),
    );
    expect(readdirSync(rig.stateDir).filter((name) => !name.endsWith('-lock'))).toEqual(before);
    expect(rig.leases()).toEqual([]);
    await expectUntouched(rig);
  });

  it('moves every entry, byte for byte, and reads the same state from the database', async () => {
    const [lines, before] = [await rig.linesOf(), await rig.dumped()];
    const listener = await rig.connected();
    const notified: string[] = [];
    await listener.listen((payload) => notified.push(payload), jest.fn());
    const printed = await rig.move();
    await waitUntil(
      'three notifications',
      () => Promise.resolve(notified.length),
      (length) => length === 3,
    );
    await listener.close();
    expect(notified).toEqual(units);
    expect(printed).toMatch(
      /\nmoved into .*\/trading; .*state\.moved-[0-9a-f]{16}\.lmdb is a copy that nothing uses\n$/,
    );
    expect(rig.written()).toEqual(lines);
    expect(rig.leases()).toEqual(units.map((name) => `${name}|1|t|-infinity`));
    const [copy = ''] = readdirSync(rig.stateDir).filter((name) => /^state\.moved-.*\.lmdb$/.test(name));
    expect(await rig.linesOf(copy)).toEqual(lines);

    const database = await rig.connected();
    const table = new LeaseTable(database, { id: 'host', name: 'host', capacity: 10, labels: [] }, 10_000);
    const dumps: Dump[] = [];
    for (const lease of await table.take(units, 10)) {
      expect(lease.token).toBe(2);
      const store = await PostgresStore.open(database, { name: 'the state', lease }, stateTables);
      const state = StateStore.over(store, new VirtualClock());
      // By the keys that a daemon makes, not only as a range.
      for (const { strategy, key } of state.dump().intents) expect(state.intent(strategy, key)).toMatchObject({ key });
      for (const { broker, ticket } of state.dump().tickets)
        expect(state.ticket(broker, ticket)).toMatchObject({ ticket });
      dumps.push(state.dump());
      await state.close();
    }
    await database.close();
    const all = (member: keyof Dump): unknown => dumps.map((dump) => dump[member]).flat();
    expect(before).toEqual({
      ...{ strategies: all('strategies'), tickets: all('tickets'), intents: all('intents') },
      ...{ stacks: all('stacks'), kept: all('kept'), unreadable: [] },
    });
  });

  it('leaves no state behind that a daemon without a database could use, and says so when it is repeated', async () => {
    await rig.move();
    const moved =
      /^the state of .* was moved into the database .*\/trading: start the daemon with DAEMON_DATABASE_URL$/;
    await expect(rig.started({})).rejects.toThrow(moved);
    // That of an earlier version has no word for it, and does not start either.
    expect(() => StateStore.open(rig.stateDir)).toThrow('the file is not a database');
    delete process.env['DAEMON_DATABASE_URL'];
    await expect(printedBy('state', 'dump', '--state-dir', rig.stateDir)).rejects.toThrow(moved);
    process.env['DAEMON_DATABASE_URL'] = rig.server.url;
    await rig.started(process.env);
    const before = rig.written();
    expect(await rig.move()).toMatch(/^the state was moved before into .*\/trading; /);
    expect([rig.written(), rig.leases()]).toEqual([before, units.map((name) => `${name}|1|t|-infinity`)]);
  });

  describe('is refused', () => {
    it('without a database, without a state, and as another subcommand', async () => {
      await expect(printedBy('state', 'moves', '--state-dir', rig.stateDir)).rejects.toThrow(
        'has no moves; did you mean move?',
      );
      await expect(printedBy('state', 'dump', '--dry-run')).rejects.toThrow('--dry-run is for state move');
      const empty = mkdtempSync(join(tmpdir(), 'empty-'));
      await expect(printedBy('state', 'move', '--state-dir', empty)).rejects.toThrow(`no state found in ${empty}`);
      delete process.env['DAEMON_DATABASE_URL'];
      await expect(rig.move()).rejects.toThrow('there is no fleet: set DAEMON_DATABASE_URL');
    });

    it('while a daemon runs, and when the database cannot be used, both at once', async () => {
      const lock = await StateLock.take(rig.stateDir, 'daemon');
      await expect(rig.move()).rejects.toThrow(`nothing was moved:\n  a daemon is using ${rig.stateDir}: stop it`);
      rig.server.sql('trading', 'insert into trading.migration (number, oldest_reader) values (999, 999)');
      await expect(rig.move()).rejects.toThrow(
        /^nothing was moved:\n {2}a daemon is using .*\n {2}the tables are of a later version: they need a program with step 999/,
      );
      process.env['DAEMON_DATABASE_URL'] = 'postgres://trading_daemon@127.0.0.1:1/trading';
      await expect(rig.move()).rejects.toThrow(/a daemon is using .*\n {2}the database cannot be used: .*ECONNREFUSED/);
      await lock.release();
      await expectUntouched(rig);
    });

    it('for units that a host holds, that the database has a state of, and that another directory moves, all at once', async () => {
      rig.server.sql(
        'trading',
        `insert into trading.host (id, name, seen_at, capacity) values ('h/1', 'host-1', now(), 5);
        insert into trading.lease (name, holder, token, expires_at) values
          ('book', 'h/1', 3, now() + interval '1 hour'),
          ('flip', null, 4, '-infinity'),
          ('ladder', 'import of /other on host-2, 7', 1, '9999-12-31');
        insert into trading.entry values ('flip', 'strategies', 'x', 'y')`,
      );
      const problems = [
        'nothing was moved:',
        '  book: host-1 holds its lease: stop that host',
        '  flip: the database has a state of it, and nothing is overwritten',
        '  ladder: the import of /other on host-2, 7 has not ended: complete it there',
      ].join('\n');
      for (const flags of [[], ['--dry-run']]) await expect(rig.move(...flags)).rejects.toThrow(problems);
      expect(rig.rows('select * from trading.entry')).toHaveLength(1);
      rig.server.sql('trading', 'truncate trading.entry, trading.lease');
      await expectUntouched(rig);
    });

    it('for records that cannot be read, tables of another version and exits that are kept, all at once', async () => {
      const root = open({ path: join(rig.stateDir, 'state.lmdb'), noSubdir: true, maxDbs: 16 });
      await root.openDB({ name: 'strategies', encoding: 'binary' }).put('flip', Buffer.from('{"realized'));
      await root.openDB({ name: 'moods', encoding: 'json' }).put('flip', 1);
      await root.close();
      const exits = open({ path: join(rig.stateDir, 'exits.lmdb'), noSubdir: true, maxDbs: 2 });
      await exits.openDB({ name: 'exits', encoding: 'json' }).put(['flip', 'k'], 1);
      await exits.close();
      await expect(rig.move()).rejects.toThrow(
        /^nothing was moved:\n {2}the state cannot be read: strategies "flip" .*\n {2}the state has the table moods .*\n {2}.*exits\.lmdb has exits that a database did not take \(1\)/,
      );
      expect([rig.written(), rig.leases()]).toEqual([[], []]);
    });

    it('when a host takes a unit after the first look, as a whole', async () => {
      rig.server.sql(
        'trading',
        `create function trading.taken() returns trigger language plpgsql as $$ begin
          if new.name = 'ladder' then new.holder := 'quick'; new.expires_at := now() + interval '1 hour'; end if;
          return new; end $$;
        create trigger taken before insert on trading.lease for each row execute function trading.taken()`,
      );
      await expect(rig.move()).rejects.toThrow('nothing was moved:\n  ladder: quick holds its lease: stop that host');
      await expectUntouched(rig);
      expect(rig.leases().slice(0, 2)).toEqual(['book|0|t|-infinity', 'flip|0|t|-infinity']);
    });
  });

  it('takes no notice of an earlier holder of the units that goes on', async () => {
    const database = await rig.connected();
    const table = new LeaseTable(database, { id: 'paused', name: 'paused', capacity: 10, labels: [] }, 1);
    await table.announce(['flip']);
    const [lease] = await table.take(['flip'], 1);
    if (!lease) throw new Error('flip is not free');
    const store = await PostgresStore.open(database, { name: 'the state', lease }, stateTables);
    rig.server.sql('trading', `update trading.lease set expires_at = '-infinity'`);
    await rig.move();
    const before = rig.written();
    await expect(
      store.write(({ kept }) => void kept.put('flip', { strategy: 'flip', version: 1, json: '1' })),
    ).rejects.toThrow('was taken by another holder');
    expect(rig.written()).toEqual(before);
    await store.close();
    await database.close();
  });

  it('leaves files that only their owner can read', async () => {
    await rig.move();
    for (const name of readdirSync(rig.stateDir).filter((file) => !file.startsWith('exits'))) {
      expect([name, statSync(join(rig.stateDir, name)).mode & 0o077]).toEqual([name, 0]);
    }
    expect(existsSync(join(rig.stateDir, 'state.lmdb.moving'))).toBe(false);
  });
});
