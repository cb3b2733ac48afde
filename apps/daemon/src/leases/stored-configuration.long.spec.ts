import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { ConfigurationTable, Database } from '@libs/postgres';
import { pino } from 'pino';
import { configuration } from '../../../../test/e2e/daemon/daemon-program';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { waitUntil } from '../../../../test/e2e/programs/waits';
import { healthOf } from '../control/snapshots';
import type { Daemon } from '../daemon';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import { readDaemonFile, readDaemonText } from '../daemon-file/read-daemon-file';

const folder = (): string => mkdtempSync(join(tmpdir(), 'stored-'));
const env = { API_KEY: 'k' };
const pathOf = (...names: readonly string[]): string =>
  configuration(
    folder(),
    'http://127.0.0.1:1',
    names.map((name, index) => ({ name, module: __filename, magic: index + 1 })),
  );
const textOf = (...names: readonly string[]): string => readFileSync(pathOf(...names), 'utf8');
const namesOf = ({ units }: Daemon): readonly string[] => (units?.strategies ?? []).map(({ name }) => name);

describeWithPostgres('the configuration in the database', () => {
  let server: PostgresServer;
  let database: Database;
  let table: ConfigurationTable;
  const apps: DaemonApp[] = [];
  beforeAll(async () => {
    server = PostgresServer.start();
    database = await Database.open({ url: server.url, applicationName: 'operator' });
    table = new ConfigurationTable(database);
  });
  afterEach(async () => {
    for (const { control, daemon } of apps.splice(0)) {
      await control.close();
      await daemon.stop();
    }
    server.sql('trading', 'truncate trading.configuration');
  });
  afterAll(async () => {
    await database.close();
    server.end();
  });

  const started = async (clock = new VirtualClock()): Promise<Daemon> => {
    const config = pathOf('of-the-file');
    const configured = { readFile: () => readDaemonFile(config, env), apiKey: () => 'k' };
    const settings = readDaemonSettings({ DAEMON_DATABASE_URL: server.url });
    const readText = (name: string, text: string) => readDaemonText({ name, text, folder: '/' }, env);
    const start = { settings, configured, stateDir: folder(), host: '127.0.0.1', readText };
    const app = await createDaemon(start, pino({ level: 'silent' }), { clock });
    apps.push(app);
    await app.daemon.deploy();
    return app.daemon;
  };
  const until = (daemon: Daemon, ...names: readonly string[]): Promise<unknown> =>
    waitUntil(
      'the configuration to be taken over',
      () => Promise.resolve(namesOf(daemon)),
      (running) => running.join() === names.join(),
    );

  it('is taken instead of the file once a version was applied, and followed', async () => {
    const early = await started();
    expect(namesOf(early)).toEqual(['of-the-file']);
    await table.apply({ version: 1, text: textOf('trend') });
    const daemon = await started();
    expect([namesOf(daemon), daemon.configuration.version]).toEqual([['trend'], 1]);
    // The connection that listens is made in the background.
    await waitUntil(
      'the host to listen',
      () => Promise.resolve(server.sql('trading', `select count(*) from pg_stat_activity where query like 'listen%'`)),
      (count) => Number(count) === 2,
    );
    await table.apply({ version: 2, text: textOf('trend', 'mean') });
    await until(daemon, 'trend', 'mean');
    await waitUntil(
      'the version to be shown',
      () => Promise.resolve(healthOf(daemon, true)),
      (health) => JSON.stringify(health).includes('"version":2,"lastReload":{'),
    );
    expect(namesOf(early)).toEqual(['of-the-file']);
  });

  it('is followed when the notification is lost, and a version that cannot be read changes nothing', async () => {
    await table.apply({ version: 1, text: textOf('trend') });
    const clock = new VirtualClock();
    const daemon = await started(clock);
    const insert = (version: number, text: string): void => {
      server.sql('trading', `insert into trading.configuration (version, text) values (${version}, '${text}')`);
    };
    insert(2, 'gateways: {}');
    await clock.advance(5_000);
    const { lastReload } = await waitUntil(
      'the reload',
      () => Promise.resolve(daemon.configuration),
      (running) => running.lastReload !== null,
    );
    expect(lastReload).toMatchObject({
      outcome: 'refused',
      problems: ['line 1: gateways must name at least one gateway'],
    });
    expect([namesOf(daemon), daemon.configuration.version]).toEqual([['trend'], 1]);
    insert(3, textOf('mean'));
    await clock.advance(5_000);
    await until(daemon, 'mean');
  });

  it('stays as it is when the database cannot be read', async () => {
    await table.apply({ version: 1, text: textOf('trend') });
    const daemon = await started();
    server.halt('immediate');
    const report = await daemon.reload();
    server.boot();
    expect(report).toMatchObject({
      outcome: 'refused',
      problems: [expect.stringContaining('the database of the fleet cannot be read')],
    });
    expect(namesOf(daemon)).toEqual(['trend']);
  });

  it('gets each version once', async () => {
    expect([await table.newest(), await table.newestVersion()]).toEqual([null, 0]);
    const both = await Promise.all(['a', 'b'].map((text) => table.apply({ version: 1, text })));
    expect([...both].sort()).toEqual([false, true]);
    expect(await table.newest()).toEqual({ version: 1, text: both[0] ? 'a' : 'b' });
  });
});
