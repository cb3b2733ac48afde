import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import type { RaiseFenceRequest } from '@libs/gateway-client';
import { Database, FleetTable } from '@libs/postgres';
import { pino } from 'pino';
import { restoreFleet } from '../../../../test/e2e/programs/fleet-fixture';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import { readDaemonText } from '../daemon-file/read-daemon-file';
import type { StrategyRunner } from '../strategies/strategy-runner';

const env = { API_KEY: 'k' };
/** When the fixture was made: its records are not old yet. */
const clock = new VirtualClock(Date.UTC(2026, 10, 25, 18));
const names = ['counter', 'ladder', 'faulty', 'lost', 'book/a'];

describeWithPostgres('a daemon on the tables that an earlier fleet has left', () => {
  let server: PostgresServer;
  let app: DaemonApp;
  beforeAll(async () => {
    server = PostgresServer.start();
    restoreFleet(server);
    app = await started(server.url);
    await inTime(app.daemon.deploy());
    while (app.daemon.strategies.length < names.length) await pass();
  });
  afterAll(async () => {
    await app.control.close();
    await inTime(app.daemon.stop());
    server.end();
  });

  const strategy = (name: string): StrategyRunner => {
    const found = app.daemon.strategies.find(({ spec }) => spec.name === name);
    if (!found) throw new Error(`no strategy ${name}`);
    return found;
  };

  it('runs the newest version of the configuration', () => {
    const { configuration, portfolios } = app.daemon;
    expect([configuration.version, portfolios.map(({ spec }) => spec.risk.maxDrawdownPct)]).toEqual([2, [50]]);
  });

  it('reads every record of every strategy', () => {
    const read = names.map((name) => [name, strategy(name).trading.unreadable, strategy(name).book.record.trades]);
    expect(read).toEqual([
      ...[['counter', null, 5] as const, ['ladder', null, 1] as const, ['faulty', null, 0] as const],
      ...[['lost', null, 6] as const, ['book/a', null, 1] as const],
    ]);
    expect(app.daemon.units?.state.dump().unreadable).toEqual([]);
  });

  it('has the books: open positions, results, the kept state, and the waiting layers of a stack', () => {
    const { book, trading } = strategy('counter');
    expect(book.openTickets).toMatchObject([{ broker: 'demo', symbol: 'EURUSD', volumeIn: '0.1', tag: 'count' }]);
    expect(book.record.realized).toMatch(/^-?\d+\.\d+$/);
    expect(trading.kept).toMatchObject({ version: 1, json: expect.stringMatching(/"trades":3/) as string });
    expect(strategy('ladder').book.openTickets).toHaveLength(1);
    expect(strategy('ladder').trading.desk.pendingLayers).toMatchObject([{ layer: 2 }, { layer: 3 }]);
    expect(strategy('book/a').book.openTickets).toHaveLength(1);
  });

  it('has the halts', () => {
    expect(strategy('faulty').book.record.halt).toMatchObject({
      kind: 'persistent',
      reason: '5 handlers threw in a row',
    });
    expect(strategy('book/a').book.record.halt?.reason).toBe('portfolio book: by the operator');
    expect(app.daemon.portfolios[0]?.record.halt?.reason).toBe('by the operator');
  });

  it('knows which requests are settled, and which has no outcome yet', () => {
    const { intents } = strategy('lost').services.store.recordsOf('lost');
    const open = intents.filter(({ state }) => state === 'open');
    expect([intents.length, open]).toMatchObject([7, [{ isEntry: true, outcome: null, call: { path: '/order' } }]]);
  });

  it('takes the leases under higher tokens', async () => {
    const database = await Database.open({ url: server.url, applicationName: 'operator' });
    const leases = await new FleetTable(database).leases();
    await database.close();
    const tokens = leases.map(({ name, token, host }) => `${name} ${token} ${host}`);
    expect(tokens).toEqual(['book 2 later', 'counter 2 later', 'faulty 3 later', 'ladder 2 later', 'lost 2 later']);
  });
});

/** Before a gateway that raises fences and answers nothing else. */
async function started(url: string): Promise<DaemonApp> {
  const configured = {
    readFile: () => {
      throw new Error('the configuration is in the database');
    },
    apiKey: () => 'k',
  };
  const readText = (name: string, text: string) =>
    readDaemonText({ name, text: text.replace(/\/strategies\/\w+\.ts/g, __filename), folder: '/' }, env);
  const settings = readDaemonSettings({ DAEMON_DATABASE_URL: url, DAEMON_HOST_NAME: 'later' });
  const stateDir = mkdtempSync(join(tmpdir(), 'later-'));
  return createDaemon({ settings, configured, stateDir, host: '127.0.0.1', readText }, pino({ level: 'silent' }), {
    clock,
    network: { fetch: (path, init) => fence(path, init), setTimer: (delayMs, run) => clock.setTimer(delayMs, run) },
  });
}

function fence(url: string, { method, body }: RequestInit): Promise<Response> {
  const [, strategy] = /\/fences\/(\w+)$/.exec(url) ?? [];
  if (strategy === undefined) return Promise.reject(new TypeError('fetch failed'));
  if (method === 'GET' || typeof body !== 'string') {
    const unknown = { ok: false, ts: 0, error: 'no such fence', error_type: 'not_found' };
    return Promise.resolve(Response.json(unknown, { status: 404 }));
  }
  const { token, magics = [] } = JSON.parse(body) as RaiseFenceRequest;
  return Promise.resolve(Response.json({ ok: true, ts: 0, strategy, token, magics, state: 'raised', raised_at: null }));
}

/** Lets time pass, slowly enough for the answers of the database. */
async function pass(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  await clock.advance(50);
}

async function inTime(work: Promise<void>): Promise<void> {
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => undefined);
  while (!isDone) await pass();
  await work;
}
