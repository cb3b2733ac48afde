import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { configuration } from '../../../../test/e2e/daemon/daemon-program';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { waitUntil } from '../../../../test/e2e/programs/waits';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import { readDaemonFile } from '../daemon-file/read-daemon-file';

const folder = (): string => mkdtempSync(join(tmpdir(), 'fleet-scope-'));

describeWithPostgres('the control port with scope=fleet', () => {
  let server: PostgresServer;
  let app: DaemonApp;
  let clock: VirtualClock;
  let url: string;
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(async () => {
    clock = new VirtualClock();
    await start({ DAEMON_DATABASE_URL: server.url, DAEMON_HOST_NAME: 'own', DAEMON_CONTROL_TOKEN: 'sesame' });
    await app.daemon.deploy();
  });
  afterEach(async () => {
    await stop();
    server.sql('trading', 'truncate trading.lease, trading.host');
  });
  afterAll(() => server.end());

  const start = async (env: Record<string, string>): Promise<void> => {
    const config = configuration(folder(), 'http://127.0.0.1:1', []);
    const configured = { readFile: () => readDaemonFile(config, { API_KEY: 'k' }), apiKey: () => 'k' };
    const options = { settings: readDaemonSettings(env), configured, stateDir: folder(), host: '127.0.0.1' };
    app = await createDaemon(options, pino({ level: 'silent' }), { clock });
    await app.control.listen(0, '127.0.0.1');
    url = await app.control.getUrl();
  };
  const stop = async (): Promise<void> => {
    await app.control.close();
    await app.daemon.stop();
  };
  const get = async (path: string, token = 'sesame'): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.json() };
  };
  const other = (name: string, report: object | null, seconds: number, leases: readonly string[]): void => {
    const text = report === null ? 'null' : `'${JSON.stringify(report)}'`;
    const published = report === null ? 'null' : `now() - interval '${seconds} s'`;
    server.sql(
      'trading',
      `insert into trading.host (id, name, seen_at, capacity, report, published_at)
         values ('${name}', '${name}', now(), 10, ${text}, ${published})`,
    );
    for (const lease of leases) {
      const row = `('${lease}', '${name}', 3, now() + interval '1 h')`;
      server.sql('trading', `insert into trading.lease (name, holder, token, expires_at) values ${row}`);
    }
  };
  const shown = (state: string, ...names: readonly string[]): object => {
    const rows = names.map((name) => ({ name, state, children: [{ name: `${name}/a`, state }] }));
    return { health: { condition: 'ok', problems: [`${state} is reported`] }, list: rows, status: rows };
  };

  it('shows the rows of all hosts, each with its host and age, and marks those that are old', async () => {
    other('current', shown('running', 'trend', 'moved'), 2, ['trend']);
    other('old', shown('running', 'mean'), 100, ['mean']);
    other('taker', shown('starting', 'moved'), 1, ['moved', 'fresh']);
    const ageMs = expect.any(Number) as number;
    const rows = [
      { name: 'trend', state: 'running', host: 'current', ageMs, isStale: false },
      // The row of the host that had it before is not shown.
      { name: 'moved', state: 'starting', host: 'taker', ageMs, isStale: false },
      { name: 'mean', state: 'running', host: 'old', ageMs, isStale: true },
      { name: 'fresh', state: 'unknown', host: 'taker', ageMs: null, isStale: true },
    ];
    for (const path of ['/list', '/status']) {
      const { status, body } = await get(`${path}?scope=fleet`);
      expect([status, body]).toMatchObject([200, rows]);
      expect((await get(path)).body).toEqual([]);
      expect((await get(`${path}?scope=host`)).body).toEqual([]);
    }
    expect((await get('/status/mean?scope=fleet')).body).toMatchObject({ host: 'old', isStale: true });
    expect((await get('/status/trend/a?scope=fleet')).body).toEqual({
      ...{ name: 'trend/a', state: 'running' },
      ...{ host: 'current', ageMs, isStale: false },
    });
    expect(await get('/status/gone?scope=fleet')).toMatchObject({ status: 404, body: { error: 'no host runs gone' } });
  });

  it('shows the health of all hosts, without the problems of one that was replaced', async () => {
    other('current', shown('a problem', 'trend'), 2, ['trend']);
    other('replaced', shown('another', 'trend'), 100, []);
    other('silent', null, 0, ['mean']);
    expect((await get('/health?scope=fleet')).body).toMatchObject({
      condition: 'degraded',
      problems: expect.arrayContaining([
        'current: a problem is reported',
        'silent: The host holds leases, but has not published its state recently.',
      ]) as object,
      hosts: [
        { host: 'own', status: 'ok', fleet: { host: 'own' } },
        { host: 'current', condition: 'ok', isStale: false },
        { host: 'replaced', isStale: true },
        { host: 'silent', ageMs: null, isStale: true },
      ],
    });
    expect(await get('/health?scope=fleet', 'wrong')).toMatchObject({ status: 401 });
    expect(await get('/health', 'wrong')).toMatchObject({ status: 200 });
  });

  it('publishes what this host shows', async () => {
    const inRow = (column: string): Promise<string> =>
      waitUntil(
        `${column} of this host`,
        () => Promise.resolve(server.sql('trading', `select ${column} from trading.host where name = 'own'`)),
        (text) => text !== '',
      );
    // A report is published into the row that the first renewal makes, and no renewal waits for the clock of this test.
    await inRow('seen_at');
    await clock.advance(5_000);
    const report = await inRow('report');
    expect(JSON.parse(report)).toMatchObject({ health: { status: 'ok' }, list: [], status: [] });
    expect(report).not.toContain('"config"');
  });

  it('is an error when the database cannot be read, and when there is none', async () => {
    server.halt('immediate');
    for (const path of ['/list', '/status', '/status/trend', '/health']) {
      const answer = await get(`${path}?scope=fleet`);
      expect(answer).toMatchObject({ status: 503, body: { ok: false, error_type: 'not_ready' } });
    }
    expect((await get('/list')).body).toEqual([]);
    server.boot();
    await stop();
    await start({});
    expect(await get('/list?scope=fleet')).toMatchObject({
      status: 400,
      body: { error: 'scope: there is no fleet without DAEMON_DATABASE_URL' },
    });
  });

  it('is refused for other words, and for routes of one host', async () => {
    expect((await get('/list?scope=all')).body).toMatchObject({ error: 'scope: must be host or fleet' });
    for (const path of ['/latency', '/logs/trend']) expect((await get(`${path}?scope=fleet`)).status).toBe(400);
  });
});
