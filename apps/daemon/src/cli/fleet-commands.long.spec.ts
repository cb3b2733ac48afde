import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { VirtualClock } from '@libs/clock';
import { Database, LeaseTable } from '@libs/postgres';
import { pino } from 'pino';
import { LeaseKeeper } from '../leases/lease-keeper';
import { Shutdown } from '../shutdown';
import { printedBy } from '../testing/printed';

const leaseMs = 9_000;
const units = ['book', 'mean', 'trend'];

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

  /** A host whose rounds are those that a test asks for; its units run as soon as they are taken. */
  const joined = async (name: string, capacity = 10): Promise<LeaseKeeper> => {
    const database = await Database.open({ url: server.url, applicationName: name });
    const keeper = new LeaseKeeper({
      table: new LeaseTable(database, { id: `${name}/1`, name, capacity }, leaseMs),
      ...{ clock: new VirtualClock(), shutdown: new Shutdown(), leaseMs, capacity, logger: pino({ level: 'silent' }) },
      units: () => units,
      prepare: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      onChange: () => undefined,
    });
    undo.push(async () => {
      await keeper.end();
      await database.close();
    });
    await keeper.round();
    return keeper;
  };

  describe('daemon hosts', () => {
    it('lists hosts, also lost ones, and units with their holders', async () => {
      const [one] = [await joined('one', 2), await joined('two')];
      await one.round();
      server.sql('trading', `update trading.host set seen_at = now() - interval '20 s' where name = 'two'`);
      expect(await printedBy('hosts')).toMatch(
        new RegExp(
          [
            /^HOST +STATE +SEEN +UNITS +CAPACITY\n/,
            /one +running +0s +2 +2\n/,
            /two +lost +20s +0 +10\n\n/,
            /UNIT +HOST +TOKEN +LEFT\n/,
            /book +one +1 +\ds\n/,
            /mean +one +1 +\ds\n/,
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
          { name: 'two', isRunning: false, units: [] },
        ],
        free,
        unknownHost: [],
      });
      server.sql('trading', `delete from trading.host where name = 'one'`);
      expect(JSON.parse(await printedBy('hosts', '--json'))).toMatchObject({
        unknownHost: [{ name: 'book', holder: 'one/1' }, {}],
      });
    });

    it('fails without a database, or with one that does not answer', async () => {
      process.env['DAEMON_DATABASE_URL'] = 'postgres://trading_daemon@127.0.0.1:1/trading';
      await expect(printedBy('hosts')).rejects.toThrow('ECONNREFUSED');
      delete process.env['DAEMON_DATABASE_URL'];
      await expect(printedBy('hosts')).rejects.toThrow('there is no fleet: set DAEMON_DATABASE_URL');
    });
  });
});
