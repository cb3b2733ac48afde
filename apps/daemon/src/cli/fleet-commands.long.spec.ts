import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuration } from '../../../../test/e2e/daemon/daemon-program';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import type { LeaseKeeper } from '../leases/lease-keeper';
import { LeasedHost } from '../testing/leased-host';
import { printedBy } from '../testing/printed';
import { run } from './run';

const units = ['book', 'mean', 'trend'];
/** A host that runs however long ago it was seen. */
const unending = 'lease_ms = 1000000000';

describeWithPostgres('the commands of a fleet', () => {
  let server: PostgresServer;
  const undo: (() => Promise<void>)[] = [];
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(() => void (process.env['DAEMON_DATABASE_URL'] = server.url));
  afterEach(async () => {
    delete process.env['DAEMON_DATABASE_URL'];
    for (const end of undo.splice(0)) await end();
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterAll(() => server.end());

  const joined = async (name: string, capacity = 10, labels: readonly string[] = []): Promise<LeaseKeeper> => {
    const all = units.map((unit) => ({ name: unit, runsOn: [] }));
    const host = await LeasedHost.join({ url: server.url, id: name, capacity, labels, units: () => all });
    undo.push(async () => {
      await host.keeper.end();
      await host.close();
    });
    return host.keeper;
  };

  describe('daemon hosts', () => {
    it('lists hosts, also lost ones, and units with their holders', async () => {
      const [one] = [await joined('one', 2), await joined('two', 10, ['fast', 'near'])];
      await one.round();
      // In hours, so that what is printed does not depend on how busy this machine is.
      server.sql('trading', `update trading.host set seen_at = now() - interval '2 hours' where name = 'two'`);
      server.sql(
        'trading',
        `update trading.host set seen_at = now() - interval '3 hours', ${unending} where name = 'one'`,
      );
      server.sql('trading', `update trading.lease set expires_at = now() + interval '5 hours' where holder = 'one'`);
      expect(await printedBy('hosts')).toMatch(
        new RegExp(
          [
            /^HOST +STATE +SEEN +UNITS +CAPACITY +LABELS\n/,
            /one +running +3h 0\dm +2 +2 +-\n/,
            /two +lost +2h 0\dm +0 +10 +fast, near\n\n/,
            /UNIT +HOST +TOKEN +LEFT\n/,
            /book +one +1 +4h 5\dm\n/,
            /mean +one +1 +4h 5\dm\n/,
            /trend +- +0 +-\n$/,
          ]
            .map(({ source }) => source)
            .join(''),
        ),
      );
      const free = [{ name: 'trend', token: 0, remainingMs: 0 }];
      expect(JSON.parse(await printedBy('hosts', '--json'))).toMatchObject({
        hosts: [
          { name: 'one', isRunning: true, isDraining: false, capacity: 2, units: [{ name: 'book', token: 1 }, {}] },
          { name: 'two', isRunning: false, labels: ['fast', 'near'], units: [] },
        ],
        free,
        unknownHost: [],
      });
      server.sql('trading', `delete from trading.host where name = 'one'`);
      expect(JSON.parse(await printedBy('hosts', '--json'))).toMatchObject({
        unknownHost: [{ name: 'book', holder: 'one' }, {}],
      });
    });

    it('lists a host that was started again once, as it is now', async () => {
      await joined('one');
      server.sql('trading', `update trading.host set ${unending} where name = 'one'`);
      const earlier = `('one/before', 'one', now() - interval '1 hour', 10)`;
      server.sql('trading', `insert into trading.host (id, name, seen_at, capacity) values ${earlier}`);
      expect(await printedBy('hosts')).not.toContain('lost');
      expect((await printedBy('hosts')).match(/^one /gm)).toHaveLength(1);
    });

    it('fails without a database, or with one that does not answer', async () => {
      process.env['DAEMON_DATABASE_URL'] = 'postgres://trading_daemon@127.0.0.1:1/trading';
      await expect(printedBy('hosts')).rejects.toThrow('ECONNREFUSED');
      delete process.env['DAEMON_DATABASE_URL'];
      await expect(printedBy('hosts')).rejects.toThrow('there is no fleet: set DAEMON_DATABASE_URL');
    });
  });

  /** Runs a command while hosts renew and let units go. @returns its exit code, and what it has printed */
  const commanded = async (keepers: readonly LeaseKeeper[], ...args: string[]): Promise<[number, string]> => {
    let printed = '';
    const write = (text: unknown): boolean => Boolean((printed += String(text)));
    const spies = [process.stdout, process.stderr].map((one) => jest.spyOn(one, 'write').mockImplementation(write));
    let isOver = false;
    const running = run(args).finally(() => (isOver = true));
    try {
      while (!isOver) {
        for (const keeper of keepers) {
          await keeper.round();
          for (const lease of keeper.leases) {
            if (!lease.isLeaving) continue;
            keeper.handedOver(lease.fence.name);
            await keeper.stopped(lease);
          }
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      return [await running, printed];
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };

  describe('daemon drain', () => {
    it('gives the units of a host to the others, until it is undone', async () => {
      const one = await joined('one');
      await one.round();
      const two = await joined('two');
      expect(await commanded([one, two], 'drain', 'one')).toEqual([0, 'one is draining\none has no units\n']);
      expect(await printedBy('hosts')).toMatch(/^one +drained +\ds +0 +10 +-\ntwo +running +\ds +3 +10 +-$/m);
      expect(await commanded([], 'drain', 'one', '--undo')).toEqual([0, 'one takes units again\n']);
      await two.end();
      await one.round();
      expect(one.leases.map(({ fence }) => fence.name)).toEqual(units);
    });

    it('says which units are left when no other host may take them, and acts on this host if none is named', async () => {
      const one = await joined('one');
      await one.round();
      process.env['DAEMON_HOST_NAME'] = 'one';
      const left = 'one is draining\nnot drained yet, the host continues: book, mean, trend\n';
      expect(await commanded([one], 'drain', '--wait', '0.1')).toEqual([1, left]);
      delete process.env['DAEMON_HOST_NAME'];
      expect(await commanded([], 'drain', 'two')).toEqual([1, 'no host two runs; see daemon hosts\n']);
    });
  });

  describe('daemon move', () => {
    it('gives a unit to one host', async () => {
      const one = await joined('one');
      await one.round();
      const hosts = [one, await joined('two'), await joined('three')];
      expect(await commanded(hosts, 'move', 'mean', 'three')).toEqual([0, 'mean moved to three, token 2\n']);
      expect(await commanded([], 'move', 'mean', 'three')).toEqual([0, 'mean runs on three already\n']);
    });

    it('leaves the unit where it is when the host has no room', async () => {
      const one = await joined('one');
      await one.round();
      const two = await joined('two', 1);
      expect(await commanded([one, two], 'move', 'mean', 'two')).toEqual([0, 'mean moved to two, token 2\n']);
      const refused = 'trend was not moved: it is on one; the log of that host states the reason\n';
      expect(await commanded([one, two], 'move', 'trend', 'two')).toEqual([1, refused]);
    });

    it('is refused for an unknown unit, and for a host that does not run, drains or has the name of another', async () => {
      const one = await joined('one');
      await one.round();
      const refusal = async (...args: string[]): Promise<string> => (await commanded([], 'move', ...args))[1];
      expect(await refusal('mean', 'two')).toBe('no host two runs; see daemon hosts\n');
      expect(await refusal('other', 'one')).toBe('no unit other; see daemon hosts\n');
      server.sql('trading', `insert into trading.host select 'one/2', name, seen_at, capacity, true from trading.host`);
      expect(await refusal('mean', 'one/2')).toBe('host one/2 is draining\n');
      expect(await refusal('mean', 'one')).toContain('several hosts are named one');
      await expect(printedBy('move', 'mean')).rejects.toThrow('move needs a unit and a host');
    });
  });

  describe('daemon apply', () => {
    const stored = (): string => server.sql('trading', 'select version from trading.configuration order by version');
    const written = (magic: number, more: Readonly<Record<string, unknown>> = {}, name = 'trend'): string => {
      const module = join(tmpdir(), 'trend.ts');
      const folder = mkdtempSync(join(tmpdir(), 'apply-'));
      return configuration(folder, 'http://127.0.0.1:1', [{ name, module, magic, more }]);
    };
    beforeEach(() => void (process.env['API_KEY'] = 'k'));
    afterEach(() => {
      delete process.env['API_KEY'];
      server.sql('trading', 'truncate trading.configuration');
    });

    it('stores a version, and shows what it changes', async () => {
      const first = written(7);
      const added = 'added    gateway demo\nadded    strategy trend\n';
      expect(await commanded([], 'apply', first, '--dry-run')).toEqual([0, added]);
      expect(stored()).toBe('');
      expect(await commanded([], 'apply', first)).toEqual([0, `${added}version 1 applied\n`]);
      expect(await commanded([], 'apply', first)).toEqual([0, 'version 1 is the same\n']);
      const changed = 'changed  strategy trend: magic, runsOn\n';
      const second = written(8, { runsOn: ['fast'] });
      expect(await commanded([], 'apply', second)).toEqual([0, `${changed}version 2 applied\n`]);
      expect(stored()).toBe('1\n2');
    });

    it('refuses what a host would not start with, and stores nothing', async () => {
      await expect(printedBy('apply', written(-1))).rejects.toThrow(
        /line 1: strategies\[0\]\.magic must be an integer/,
      );
      delete process.env['API_KEY'];
      await expect(printedBy('apply', written(7))).rejects.toThrow('API_KEY, which is not set');
      await expect(printedBy('apply', '/gone.yaml')).rejects.toThrow('/gone.yaml:\n  file not found');
      expect(stored()).toBe('');
    });

    it('refuses to give the magic number of a strategy that runs to another one, and stores nothing', async () => {
      await commanded([], 'apply', written(7));
      const one = await joined('one');
      await one.round();
      const problem = 'renamed would take magic 7 on demo from trend, which runs: apply a version without trend first';
      for (const flags of [['--dry-run'], []]) {
        await expect(printedBy('apply', written(7, {}, 'renamed'), ...flags)).rejects.toThrow(problem);
      }
      expect(stored()).toBe('1');
      await one.end();
      expect((await commanded([], 'apply', written(7, {}, 'renamed')))[0]).toBe(0);
    });

    it('replaces a version that cannot be read any more', async () => {
      server.sql('trading', `insert into trading.configuration (version, text) values (1, 'gateways: {}')`);
      const [code, printed] = await commanded([], 'apply', written(7));
      expect([code, printed]).toEqual([0, expect.stringMatching(/^cannot be compared .*\nversion 2 applied\n$/s)]);
    });
  });
});
