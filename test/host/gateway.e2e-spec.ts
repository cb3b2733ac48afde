import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import pino from 'pino';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import { readGatewaySettings } from '../../apps/gateway/src/gateway.config';
import { describeWithPython } from '../contract/python';
import { account, ServedSimulator, token } from '../contract/subjects';
import { endWaits, waitUntil } from '../e2e/programs/waits';
import { HostRig } from './host-rig';
import { HurriedClock } from './hurried-clock';

const root = resolve(__dirname, '../..');
const apiKey = 'key-of-the-whole-gateway';
type Row = Readonly<Record<string, unknown>>;

describeWithPython('A gateway that starts its own terminal and the real bridge (needs python3)', () => {
  const environment = { ...process.env };
  let simulator: ServedSimulator;
  let rig: HostRig;
  let app: NestFastifyApplication;
  const logged: string[] = [];

  beforeAll(async () => {
    simulator = await ServedSimulator.start();
    const fake = `PYTHONPATH=${root}/test/fake-mt5 FAKE_MT5_ADDR=${simulator.address} FAKE_MT5_TOKEN=${token}`;
    // The image's path of the bridge is the first argument: shifted away, the repository's stands in its place.
    rig = new HostRig(`sh -c 'shift; exec env ${fake} python3 -B "$0" "$@"' '${root}/bridge/mt5_bridge.py'`);
    Object.assign(process.env, {
      PATH: `${join(rig.home, 'bin')}:${environment['PATH']}`,
      TERMINAL_HOST_HOME: rig.home,
      TERMINAL_STARTUP_FOLDER: join(rig.home, 'startup'),
      TERMINAL_DESKTOP_SCRIPT: '',
    });
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    await startGateway({ TERMINAL_RESTART_UNEXPLAINED: '1' });
  });
  afterEach(endWaits);
  afterAll(async () => {
    await app.close();
    process.env = environment;
    await rig.close();
    await simulator.stop();
  });

  async function startGateway(env: Readonly<Record<string, string>>): Promise<void> {
    const settings = readGatewaySettings({
      TERMINAL_DRIVER: 'bridge',
      TERMINAL_HOST: '1',
      TERMINAL_BRIDGE_ADDR: `127.0.0.1:${await freePort()}`,
      TERMINAL_BRIDGE_TOKEN: token,
      TERMINAL_LOGIN: String(account.login),
      TERMINAL_PASSWORD: account.password,
      TERMINAL_SERVER: account.server,
      API_KEY: apiKey,
      TERMINAL_API_PORT: '0',
      TERMINAL_RECONNECT_BASE_DELAY: '0.2',
      TERMINAL_RECONNECT_COOLDOWN_SECONDS: '1',
      // No call ends by its deadline, however busy the machine is: one that does costs the session.
      TERMINAL_CALL_TIMEOUT_MS: '600000',
      TERMINAL_TRADE_TIMEOUT_MS: '600000',
      ORDER_AUDIT_FILE: join(rig.home, 'audit.jsonl'),
      KILL_SWITCH_FILE: join(rig.home, 'kill-switch'),
      STATE_DIR: join(rig.home, 'state'),
      ...env,
    });
    const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    app = await createGateway(settings, logger, { clock: new HurriedClock(10, Date.now()) });
    await app.listen(0, '127.0.0.1');
  }
  async function call(path: string, payload?: object): Promise<{ status: number; body: Record<string, unknown> }> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const post = payload && { method: 'POST', body: JSON.stringify(payload) };
    const response = await fetch(`${await app.getUrl()}${path}`, { headers, ...post });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const get = (path: string) => call(path);
  const ready = async (): Promise<boolean> => (await get('/health/ready')).status === 200;
  const evidence = async (): Promise<Record<string, unknown>> =>
    (await get('/health')).body['account_evidence'] as Record<string, unknown>;
  const eventually = (what: string, holds: () => Promise<boolean>) => waitUntil(what, holds, Boolean);

  async function bought(): Promise<number> {
    const { status, body } = await call('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const ticket = (body['result'] as { order: number }).order;
    const isSeen = ({ event, ticket: of }: Row): boolean => event === 'position' && of === ticket;
    await eventually('its event', async () => ((await get('/events')).body['data'] as Row[]).some(isSeen));
    return ticket;
  }
  /** The terminal shows an account without anything, and this does not end. */
  async function notLoaded(): Promise<void> {
    await simulator.setFault({ kind: 'lists-not-loaded', shows: 'empty' });
    await eventually('the doubt', async () => (await evidence())['state'] === 'unexplained');
  }
  const untilAPersonIsNeeded = () =>
    eventually('the last step', async () => /^a person/.test(String((await evidence())['next_step'])));

  it('answers from the first moment, becomes ready, and shows its progress in /health', async () => {
    expect((await get('/health/live')).status).toBe(200);
    expect((await get('/health')).body['terminal_host']).toMatchObject({ terminal_launches: expect.any(Number) });
    await eventually('ready', ready);
    await eventually('the login', async () => logged.some((line) => line.includes('"logged in"')));
    const { body } = await get('/health');
    expect(body['terminal_host']).toMatchObject({ state: 'logged_in', bridge: { running: true }, desktop: null });
    expect((await get('/account')).body).toMatchObject({ ok: true });
  });

  it('has neither password nor keys in its log', () => {
    const all = logged.join('');
    for (const secret of [`Password=${account.password}`, `"${account.password}"`, apiKey, token]) {
      expect(all).not.toContain(secret);
    }
  });

  it('is back after the terminal was lost, with a terminal launched anew', async () => {
    process.kill(rig.launches().at(-1)?.pid ?? 0, 'SIGKILL');
    await eventually('a second launch', async () => rig.launches().length === 2);
    await eventually('ready again', ready);
    expect((await get('/health')).body['terminal_host']).toMatchObject({ terminal_launches: 2 });
  });

  it('is given a new terminal when the lists stay unexplained, once, and not while an order is in flight', async () => {
    const ticket = await bought();
    const launches = rig.launches().length;
    // Longer than the minute after which the terminal is started anew.
    await simulator.setFault({ kind: 'latency', ms: 8_000, calls: 'sends' });
    await notLoaded();
    const { body: before } = await get('/health');
    expect(await call('/close_position', { position: ticket })).toMatchObject({ status: 200 });
    expect((await get('/health')).body['connection']).toMatchObject({ since: (before['connection'] as Row)['since'] });
    expect(rig.launches()).toHaveLength(launches);
    await eventually('a new terminal', async () => rig.launches().length > launches);
    expect(rig.closedByWindow()).toBe(1);
    await untilAPersonIsNeeded();
    expect(rig.launches()).toHaveLength(launches + 1);
    await simulator.clearFaults();
    await eventually('ready again', ready);
    expect((await get('/get_positions')).body['data']).toEqual([]);
  });

  it('keeps its terminal when TERMINAL_RESTART_UNEXPLAINED is off', async () => {
    await app.close();
    await startGateway({});
    await eventually('ready', ready);
    await bought();
    const launches = rig.launches().length;
    await notLoaded();
    await untilAPersonIsNeeded();
    expect(rig.launches()).toHaveLength(launches);
    await simulator.clearFaults();
  });

  it('leaves nothing running when it is stopped', async () => {
    await app.close();
    expect(await rig.processes()).toEqual([]);
  });
});

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
