import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { Database, LeaseTable, PostgresStore, releaseChannel } from '@libs/postgres';
import { StateLock } from '@libs/state-lock';
import { storedEntries } from '@libs/store';
import { open } from 'lmdb';
import { pino } from 'pino';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { waitUntil } from '../../../../test/e2e/programs/waits';
import { blankRecord } from '../core/records';
import { createDaemon } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import { beginMove } from '../state-move/moved-state';
import { StateStore, stateTables, type Dump } from '../state/state-store';
import { LeasedHost } from '../testing/leased-host';
import { printedBy } from '../testing/printed';

const fixture = join(__dirname, '../../../../test/fixtures/v0.1.0/daemon/state.lmdb');
const units = ['book', 'flip', 'ladder'];

describeWithPostgres('daemon state move', () => {
  let server: PostgresServer;
  let stateDir: string;
  const hosts: LeasedHost[] = [];
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(async () => {
    process.env['DAEMON_DATABASE_URL'] = server.url;
    await (await connected()).close();
    stateDir = mkdtempSync(join(tmpdir(), 'state-move-'));
    await cp(fixture, join(stateDir, 'state.lmdb'));
  });
  afterEach(async () => {
    delete process.env['DAEMON_DATABASE_URL'];
    for (const host of [...hosts]) await left(host);
    server.sql('trading', 'drop schema trading cascade; create schema trading authorization trading_daemon');
  });
  afterAll(() => server.end());

  const connected = () => Database.open({ url: server.url, applicationName: 'test', connections: 1 });
  const move = (...flags: string[]) => printedBy('state', 'move', '--state-dir', stateDir, ...flags);
  const joined = async (): Promise<LeasedHost> => {
    const all = units.map((name) => ({ name, runsOn: [] }));
    const host = await LeasedHost.join({ url: server.url, id: 'one', units: () => all });
    hosts.push(host);
    await host.round();
    return host;
  };
  const left = async (host: LeasedHost): Promise<void> => {
    hosts.splice(hosts.indexOf(host), 1);
    await host.keeper.end();
    await host.close();
  };
  /** All entries, each a line, of the source and of the database. */
  const linesOf = async (file = 'state.lmdb'): Promise<string[]> => {
    const entries = await storedEntries('the state', join(stateDir, file));
    return entries.map(({ table, key, value }) => `${table} ${key.toString('hex')} ${value.toString('hex')}`).sort();
  };
  const rows = (what: string): string[] => server.sql('trading', what).split('\n').filter(Boolean);
  const written = (): string[] =>
    rows(`select table_name || ' ' || encode(key, 'hex') || ' ' || encode(value, 'hex') from trading.entry`).sort();
  const leases = (): string[] =>
    rows('select name, token, holder is null, expires_at from trading.lease order by name');
  const dumped = async (): Promise<unknown> => {
    const store = StateStore.open(stateDir);
    const dump = store.dump();
    await store.close();
    return dump;
  };
  /** Starts a daemon on the directory, and stops it. */
  const started = async (env: NodeJS.ProcessEnv): Promise<void> => {
    const configured = { readFile: () => ({ gateways: [], strategies: [], portfolios: [] }), apiKey: () => 'k' };
    const start = { settings: readDaemonSettings(env), configured, stateDir, host: '127.0.0.1' };
    const { daemon, control } = await createDaemon(start, pino({ level: 'silent' }), { clock: new VirtualClock() });
    await daemon.stop();
    await control.close();
  };
  /** That the move has neither begun nor changed anything: the state can be used where it was, and no host has it. */
  const expectUntouched = async (): Promise<void> => {
    expect(written()).toEqual([]);
    await started({});
    expect(await linesOf()).toEqual(await linesOfFixture());
  };
  const linesOfFixture = async (): Promise<string[]> => {
    await cp(fixture, join(stateDir, 'fixture.lmdb'));
    return linesOf('fixture.lmdb');
  };

  it('shows with --dry-run what it would move, and writes nothing', async () => {
    const before = readdirSync(stateDir);
    expect(await move('--dry-run')).toBe(
      [
        'UNIT    OPEN TICKETS  OPEN REQUESTS  STACKS  HALTS  ENTRIES',
        'book    0             1              0       0      10',
        'flip    0             1              0       0      9',
        'ladder  1             0              1       0      6\n',
      ].join('\n'),
    );
    expect(readdirSync(stateDir).filter((name) => !name.endsWith('-lock'))).toEqual(before);
    expect(leases()).toEqual([]);
    await expectUntouched();
  });

  it('moves every entry, byte for byte, and reads the same state from the database', async () => {
    const [lines, before] = [await linesOf(), await dumped()];
    const listener = await connected();
    const notified: string[] = [];
    await listener.listen(releaseChannel, (payload) => notified.push(payload), jest.fn());
    const printed = await move();
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
    expect(written()).toEqual(lines);
    expect(leases()).toEqual(units.map((name) => `${name}|1|t|-infinity`));
    const [copy = ''] = readdirSync(stateDir).filter((name) => /^state\.moved-.*\.lmdb$/.test(name));
    expect(await linesOf(copy)).toEqual(lines);

    const database = await connected();
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
    await move();
    const moved =
      /^the state of .* was moved into the database .*\/trading: start the daemon with DAEMON_DATABASE_URL$/;
    await expect(started({})).rejects.toThrow(moved);
    // That of an earlier version has no word for it, and does not start either.
    expect(() => StateStore.open(stateDir)).toThrow('the file is not a database');
    delete process.env['DAEMON_DATABASE_URL'];
    await expect(printedBy('state', 'dump', '--state-dir', stateDir)).rejects.toThrow(moved);
    process.env['DAEMON_DATABASE_URL'] = server.url;
    await started(process.env);
    const before = written();
    expect(await move()).toMatch(/^the state was moved before into .*\/trading; /);
    expect([written(), leases()]).toEqual([before, units.map((name) => `${name}|1|t|-infinity`)]);
  });

  describe('is refused', () => {
    it('without a database, without a state, and as another subcommand', async () => {
      await expect(printedBy('state', 'moves', '--state-dir', stateDir)).rejects.toThrow('state dump, state move');
      await expect(printedBy('state', 'dump', '--dry-run')).rejects.toThrow('--dry-run is for state move');
      const empty = mkdtempSync(join(tmpdir(), 'empty-'));
      await expect(printedBy('state', 'move', '--state-dir', empty)).rejects.toThrow(`no state found in ${empty}`);
      delete process.env['DAEMON_DATABASE_URL'];
      await expect(move()).rejects.toThrow('there is no fleet: set DAEMON_DATABASE_URL');
    });

    it('while a daemon runs, and when the database cannot be used, both at once', async () => {
      const lock = await StateLock.take(stateDir, 'daemon');
      await expect(move()).rejects.toThrow(`nothing was moved:\n  a daemon is using ${stateDir}: stop it`);
      server.sql('trading', 'insert into trading.migration (number, oldest_reader) values (999, 999)');
      await expect(move()).rejects.toThrow(
        /^nothing was moved:\n {2}a daemon is using .*\n {2}the tables are of a later version: they need a program with step 999/,
      );
      process.env['DAEMON_DATABASE_URL'] = 'postgres://trading_daemon@127.0.0.1:1/trading';
      await expect(move()).rejects.toThrow(/a daemon is using .*\n {2}the database cannot be used: .*ECONNREFUSED/);
      await lock.release();
      await expectUntouched();
    });

    it('for units that a host holds, that the database has a state of, and that another directory moves, all at once', async () => {
      server.sql(
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
      for (const flags of [[], ['--dry-run']]) await expect(move(...flags)).rejects.toThrow(problems);
      expect(rows('select * from trading.entry')).toHaveLength(1);
      server.sql('trading', 'truncate trading.entry, trading.lease');
      await expectUntouched();
    });

    it('for records that cannot be read, tables of another version and exits that are kept, all at once', async () => {
      const root = open({ path: join(stateDir, 'state.lmdb'), noSubdir: true, maxDbs: 16 });
      await root.openDB({ name: 'strategies', encoding: 'binary' }).put('flip', Buffer.from('{"realized'));
      await root.openDB({ name: 'moods', encoding: 'json' }).put('flip', 1);
      await root.close();
      const exits = open({ path: join(stateDir, 'exits.lmdb'), noSubdir: true, maxDbs: 2 });
      await exits.openDB({ name: 'exits', encoding: 'json' }).put(['flip', 'k'], 1);
      await exits.close();
      await expect(move()).rejects.toThrow(
        /^nothing was moved:\n {2}the state cannot be read: strategies "flip" .*\n {2}the state has the table moods .*\n {2}.*exits\.lmdb has exits that a database did not take \(1\)/,
      );
      expect([written(), leases()]).toEqual([[], []]);
    });

    it('when a host takes a unit after the first look, as a whole', async () => {
      server.sql(
        'trading',
        `create function trading.taken() returns trigger language plpgsql as $$ begin
          if new.name = 'ladder' then new.holder := 'quick'; new.expires_at := now() + interval '1 hour'; end if;
          return new; end $$;
        create trigger taken before insert on trading.lease for each row execute function trading.taken()`,
      );
      await expect(move()).rejects.toThrow('nothing was moved:\n  ladder: quick holds its lease: stop that host');
      await expectUntouched();
      expect(leases().slice(0, 2)).toEqual(['book|0|t|-infinity', 'flip|0|t|-infinity']);
    });
  });

  describe('that ends in the middle', () => {
    /** Changes the state as a daemon does that is started in between. */
    const traded = async (): Promise<void> => {
      const store = StateStore.open(stateDir);
      await store.write({ strategy: { ...blankRecord('flip'), trades: 99 } });
      await store.write({ strategy: blankRecord('late') });
      await store.close();
    };
    const failing = (name: string, table: string, when: string, condition: string): void => {
      server.sql(
        'trading',
        `create function trading.${name}() returns trigger language plpgsql as $$ begin raise exception '${name}'; end $$;
        create trigger ${name} before ${when} on trading.${table} for each row when (${condition}) execute function trading.${name}()`,
      );
    };
    const mended = (name: string, table: string): void =>
      void server.sql('trading', `drop trigger ${name} on trading.${table}; drop function trading.${name}`);

    it('of the writes has written nothing; a repeated command moves what the state is by then', async () => {
      failing('refusal', 'entry', 'insert', `new.lease = 'ladder'`);
      await expect(move()).rejects.toThrow('refusal');
      await expectUntouched();
      const host = await joined();
      expect(host.held).toEqual(units);
      await left(host);
      mended('refusal', 'entry');
      await traded();
      const lines = await linesOf();
      await move();
      expect(written()).toEqual(lines);
    });

    it('before the state is out of the directory: it is usable there, and no host can take the units', async () => {
      // Of an attempt that has written nothing, in a container of another name.
      await beginMove(stateDir, { note: '', id: 'a', source: '/x on y', database: 'd', units: [], begunAt: '' });
      mkdirSync(join(stateDir, 'state.moved-a.lmdb'));
      await expect(move()).rejects.toThrow(/^the move is not complete: EISDIR.*; run the command again$/);
      expect(written()).toEqual(await linesOf());
      await started({});
      const host = await joined();
      expect(host.held).toEqual([]);
      expect(await printedBy('hosts')).toMatch(/^flip +import of \/x on y, a +1 /m);
      // What a daemon does until the command is repeated is moved as well.
      await traded();
      const lines = await linesOf();
      rmSync(join(stateDir, 'state.moved-a.lmdb'), { recursive: true });
      await move();
      expect(written()).toEqual(lines);
      await expect(started({})).rejects.toThrow('was moved into the database');
      await host.round();
      expect(host.held).toEqual(units);
    });

    it('after the state is out of the directory: it is usable nowhere until the command is repeated', async () => {
      const lines = await linesOf();
      failing('refusal', 'lease', 'update', 'old.holder is not null and new.holder is null');
      const unfinished = 'the move is not complete: refusal; run the command again';
      await expect(move()).rejects.toThrow(unfinished);
      await expect(started({})).rejects.toThrow('was moved into the database');
      const host = await joined();
      expect(host.held).toEqual([]);
      await expect(move()).rejects.toThrow(unfinished);
      mended('refusal', 'lease');
      expect(await move('--dry-run')).toBe('to be completed: no host can take book, flip, ladder yet\n');
      await host.round();
      expect(host.held).toEqual([]);
      expect(await move()).toMatch(/^completed: book, flip, ladder moved into /);
      expect(written()).toEqual(lines);
      await host.round();
      expect(host.held).toEqual(units);
      expect(await move()).toMatch(/^the state was moved before into /);
    });

    it('is not completed with another database', async () => {
      await move();
      server.sql('trading', 'truncate trading.entry');
      await expect(move()).rejects.toThrow(
        /^nothing was moved:\n {2}the state was moved into .*; .* does not have that of book, flip, ladder$/,
      );
    });
  });

  it('takes no notice of an earlier holder of the units that goes on', async () => {
    const database = await connected();
    const table = new LeaseTable(database, { id: 'paused', name: 'paused', capacity: 10, labels: [] }, 1);
    await table.announce(['flip']);
    const [lease] = await table.take(['flip'], 1);
    if (!lease) throw new Error('flip is not free');
    const store = await PostgresStore.open(database, { name: 'the state', lease }, stateTables);
    server.sql('trading', `update trading.lease set expires_at = '-infinity'`);
    await move();
    const before = written();
    await expect(
      store.write(({ kept }) => void kept.put('flip', { strategy: 'flip', version: 1, json: '1' })),
    ).rejects.toThrow('was taken by another holder');
    expect(written()).toEqual(before);
    await store.close();
    await database.close();
  });

  it('leaves files that only their owner can read', async () => {
    await move();
    for (const name of readdirSync(stateDir).filter((file) => !file.startsWith('exits'))) {
      expect([name, statSync(join(stateDir, name)).mode & 0o077]).toEqual([name, 0]);
    }
    expect(existsSync(join(stateDir, 'state.lmdb.moving'))).toBe(false);
  });
});
