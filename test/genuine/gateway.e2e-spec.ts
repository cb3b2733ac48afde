import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import { readGatewaySettings } from '../../apps/gateway/src/gateway.config';
import { CleanUp } from '../contract/clean-up';
import { token } from '../contract/subjects';
import { describeWithGenuineParts, genuinePython } from './genuine-python';
import { startedBridge } from './started-bridge';
import { StandInTerminal, until } from './stand-in-terminal';
import { WinePrefix } from './wine-prefix';

const apiKey = 'key-of-the-genuine-gateway';
/** The link gives a peer up after three pings of 5 s that were not answered. */
const LOOKS = 17;

interface Health {
  readonly status: string;
  readonly terminal_status: string;
  readonly account: number | null;
  readonly last_error: { readonly code: number; readonly message: string } | null;
}

describeWithGenuineParts('The gateway on the genuine package (needs wine, mvn, mingw-w64)', () => {
  let python: string;
  let prefix: WinePrefix;
  const cleanUp = new CleanUp();

  beforeAll(() => {
    python = genuinePython();
    prefix = new WinePrefix();
  });
  afterEach(() => cleanUp.run());
  afterAll(() => prefix.remove());

  async function gateway(...options: string[]) {
    const bridge = await startedBridge({ python, prefix, cleanUp }, options);
    const folder = mkdtempSync(join(tmpdir(), 'genuine-gateway-'));
    cleanUp.after(folder, async () => rmSync(folder, { recursive: true }));
    const settings = readGatewaySettings({
      API_KEY: apiKey,
      TERMINAL_DRIVER: 'bridge',
      TERMINAL_BRIDGE_ADDR: `127.0.0.1:${bridge.port}`,
      TERMINAL_BRIDGE_TOKEN: token,
      TERMINAL_LOGIN: '5012345',
      TERMINAL_PASSWORD: 'word',
      TERMINAL_SERVER: 'Acme-Demo',
      TERMINAL_RECONNECT_BASE_DELAY: '0.2',
      TERMINAL_RECONNECT_COOLDOWN_SECONDS: '1',
      ORDER_AUDIT_FILE: join(folder, 'audit.jsonl'),
      KILL_SWITCH_FILE: join(folder, 'kill-switch'),
      STATE_DIR: join(folder, 'state'),
    });
    const app: NestFastifyApplication = await createGateway(settings, pino({ level: 'silent' }));
    cleanUp.after(app, (started) => started.close());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
      app.inject({ method, url, headers: { authorization: `Bearer ${apiKey}` }, ...(payload ? { payload } : {}) });
    const audit = () =>
      existsSync(join(folder, 'audit.jsonl')) ? readFileSync(join(folder, 'audit.jsonl'), 'utf8') : '';
    return { bridge, call, audit, health: async () => (await call('GET', '/health')).json<Health>() };
  }

  it('reports that there is no terminal, and sends no order', async () => {
    const { call, audit, health } = await gateway();
    await until(async () => (await health()).last_error !== null);
    const report = await health();
    expect(report).toMatchObject({
      status: 'degraded',
      terminal_status: expect.stringMatching(/^(connecting|cooldown)$/),
      account: null,
      last_error: { code: -10_003, message: 'IPC initialize failed, MetaTrader 5 x64 not found' },
    });
    const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
    const answers = [
      await call('GET', '/account'),
      await call('GET', '/get_positions'),
      await call('GET', '/fetch_data_pos?symbol=EURUSD&num_bars=10'),
      await call('POST', '/order', order),
    ];
    for (const answer of answers) {
      expect([answer.statusCode, Number(answer.headers['retry-after'])]).toEqual([503, expect.any(Number)]);
      expect(answer.headers['retry-after']).toBeDefined();
      expect(answer.json()).toMatchObject({
        error_type: expect.stringMatching(/^(terminal_unavailable|reconnect_cooldown)$/),
      });
    }
    expect(audit()).not.toContain('"sent"');
    expect((await call('GET', '/health/ready')).statusCode).toBe(503);
  });

  it('keeps its link while initialize() waits for a terminal that does not answer', async () => {
    const standIn = new StandInTerminal(prefix);
    const { bridge, call, health } = await gateway('--terminal', standIn.program, '--start-terminal');
    await until(() => standIn.notes().length > 0);
    const errors = new Set<string>();
    for (let look = 0; look < LOOKS; look++) {
      expect((await call('GET', '/account')).statusCode).toBe(503);
      errors.add((await health()).last_error?.message ?? 'none');
      await new Promise((done) => setTimeout(done, 1_000));
    }
    expect([...errors].filter((message) => /silent|peer/.test(message))).toEqual([]);
    expect(bridge.complaints.join('')).not.toContain('peer gone');
    expect(bridge.complaints.join('')).toContain('the terminal is busy: connect has been running for');
  });
});
