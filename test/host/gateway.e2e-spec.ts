import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import pino from 'pino';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import { readGatewaySettings } from '../../apps/gateway/src/gateway.config';
import { describeWithPython } from '../contract/python';
import { account, ServedSimulator, token } from '../contract/subjects';
import { HostRig } from './host-rig';

jest.setTimeout(120_000);

const root = resolve(__dirname, '../..');
const apiKey = 'key-of-the-whole-gateway';

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
      ORDER_AUDIT_FILE: join(rig.home, 'audit.jsonl'),
      KILL_SWITCH_FILE: join(rig.home, 'kill-switch'),
    });
    app = await createGateway(settings, pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await app.close();
    process.env = environment;
    await rig.close();
    await simulator.stop();
  });

  async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${await app.getUrl()}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if (await holds()) return;
      await new Promise((done) => setTimeout(done, 200));
    }
    throw new Error(`never came: ${what}\n${logged.join('')}`);
  }

  it('answers from the first moment, becomes ready, and shows its progress in /health', async () => {
    expect((await get('/health/live')).status).toBe(200);
    expect((await get('/health')).body['terminal_host']).toMatchObject({ terminal_launches: expect.any(Number) });
    await eventually('ready', async () => (await get('/health/ready')).status === 200);
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
    await eventually('ready again', async () => (await get('/health/ready')).status === 200);
    expect((await get('/health')).body['terminal_host']).toMatchObject({ terminal_launches: 2 });
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
