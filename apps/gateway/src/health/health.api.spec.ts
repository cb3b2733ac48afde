import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { readGatewaySettings } from '../gateway.config';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest, until } from '../testing/gateway-under-test';
import { HealthModule } from './health.module';
import { Stopping } from '../stopping/stopping';

describe('health of the gateway', () => {
  let gateway: GatewayUnderTest;
  beforeEach(async () => (gateway = await gatewayUnderTest()));
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const ready = async (): Promise<
    [number, { status: string; kill_switch_active: boolean; terminal_status: string }]
  > => {
    const response = await gateway.call('/health/ready');
    return [response.statusCode, response.json()];
  };

  it('is alive without a key, regardless of the terminal', async () => {
    gateway.simulator.faults.set({ kind: 'disconnected' });
    const response = await gateway.app.inject('/health/live');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ ok: true, status: 'alive' });
  });

  it('is ready while connected and not halted, and names what is missing', async () => {
    expect(await ready()).toEqual([
      200,
      {
        ok: true,
        status: 'ready',
        terminal_status: 'connected',
        kill_switch_active: false,
        checks: {
          terminal: { status: 'up' },
          trading: { status: 'up' },
          kill_switch: { status: 'up' },
          kill_switch_file: { status: 'up' },
          account: { status: 'up' },
          audit: { status: 'up' },
          journal: { status: 'up' },
          process: { status: 'up' },
        },
      },
    ]);
    const file = join(gateway.folder, 'kill-switch');
    writeFileSync(file, '');
    expect(await ready()).toMatchObject([503, { ok: false, error_type: 'not_ready', kill_switch_active: true }]);
    rmSync(file);
    expect(await ready()).toMatchObject([200, { kill_switch_active: false }]);
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await ready()).toMatchObject([
      503,
      { status: 'not_ready', terminal_status: 'reconnecting', checks: { terminal: { status: 'down' } } },
    ]);
  });

  it('is not ready once it drains', async () => {
    gateway.app.get(Stopping, { strict: false }).begin();
    expect(await ready()).toMatchObject([503, { checks: { process: { status: 'down' } } }]);
  });

  it('has its checks on the page that says what to do about each', async () => {
    const page = readFileSync(join(__dirname, '../../../../docs/questions/not-ready.md'), 'utf8');
    const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const { checks } = (await gateway.call('/health/ready')).json<{ checks: object }>();
    expect(named.sort()).toEqual(Object.keys(checks).sort());
  });

  it('keeps its sockets open for SHUTDOWN_DRAIN_SECONDS after it stopped being ready', async () => {
    const clock = new VirtualClock();
    const settings = readGatewaySettings({ SHUTDOWN_DRAIN_SECONDS: '1.5' });
    const stopping = new Stopping();
    const module = new HealthModule(stopping, clock, settings);
    let isOver = false;
    void module.beforeApplicationShutdown().then(() => (isOver = true));
    await clock.advance(1_499);
    expect([stopping.isUnderWay, isOver]).toEqual([true, false]);
    await clock.advance(1);
    expect(isOver).toBe(true);
  });

  it('reports healthy or degraded, always with 200', async () => {
    const report = async (): Promise<Record<string, unknown>> => {
      const response = await gateway.call('/health');
      expect(response.statusCode).toBe(200);
      return response.json();
    };
    expect(await report()).toMatchObject({
      status: 'healthy',
      terminal_status: 'connected',
      account: 100001,
      uptime_seconds: expect.any(Number),
      kill_switch_active: false,
      kill_switch_file: { state: 'ok', error: null },
      audit: { state: 'ok', error: null, missing: null },
      version: expect.stringMatching(/^\d/),
      missing_settings: [],
      last_error: null,
      connection: {
        driver: 'simulator',
        attempts: 0,
        cooldown_remaining_seconds: 0,
        verified_age_seconds: expect.any(Number),
        login_refusals: 0,
        terminal_build: expect.any(Number),
      },
      server_time: { offset_seconds: null, source: null, symbol: null, derived_at: null, age_seconds: null },
      journal: { id: expect.any(String), state: 'ok', reason: null, sequence: expect.any(Number) },
      terminal_host: null,
    });
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await report()).toMatchObject({
      status: 'degraded',
      terminal_status: 'reconnecting',
      last_error: { code: expect.any(Number), message: expect.any(String) },
    });
  });
});

describe('a gateway whose journal cannot be written', () => {
  it('reports it in health, readiness and metrics, denies new risk, and recovers without a restart', async () => {
    const gateway = await gatewayUnderTest();
    const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
    const buy = () => gateway.call({ method: 'POST', url: '/order', payload: order });
    const opened = (await buy()).json<{ result: { order: number } }>();
    // A folder at the path of the probe file makes every probe fail, even for root.
    const obstacle = join(gateway.folder, 'state', 'trade-journal', 'data.mdb.probe');
    mkdirSync(obstacle);
    await until(async () => (await gateway.call('/health')).json<{ status: string }>().status === 'degraded');
    expect((await gateway.call('/health')).json()).toMatchObject({
      journal: { state: 'unavailable', reason: expect.stringContaining('EISDIR') },
    });
    const notReady = await gateway.call('/health/ready');
    expect([notReady.statusCode, notReady.json()]).toMatchObject([
      503,
      { error_type: 'not_ready', checks: { journal: { status: 'down' } } },
    ]);
    expect((await gateway.call('/metrics')).body).toMatch(/^journal_writable 0$/m);
    expect((await buy()).json()).toMatchObject({ error_type: 'journal_unavailable' });
    const close = { position: opened.result.order };
    expect((await gateway.call({ method: 'POST', url: '/close_position', payload: close })).statusCode).toBe(200);
    rmSync(obstacle, { recursive: true });
    await until(async () => (await gateway.call('/health/ready')).statusCode === 200);
    expect((await buy()).statusCode).toBe(200);
    expect((await gateway.call('/metrics')).body).toMatch(/^journal_writable 1$/m);
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});

describe('a gateway without requests', () => {
  it('probes the terminal before it reports ready, if the last probe is too old', async () => {
    const gateway = await gatewayUnderTest({ env: { TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: '0' } });
    expect((await gateway.call('/health/ready')).statusCode).toBe(200);
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['terminalInfo'], code: -10005 });
    expect((await gateway.call('/health/ready')).statusCode).toBe(503);
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});

describe('a gateway that lacks a core setting', () => {
  it.each<[Record<string, string>, string[]]>([
    [{ TERMINAL_LOGIN: '100001', TERMINAL_SERVER: 'Simulator-Demo' }, ['TERMINAL_PASSWORD']],
    [{ TERMINAL_PASSWORD: 'simulator' }, ['TERMINAL_LOGIN', 'TERMINAL_SERVER']],
  ])('names what is missing, and no value', async (env, missing) => {
    const gateway = await gatewayUnderTest({ env });
    const response = await gateway.call('/health');
    expect(response.json()).toMatchObject({ terminal_status: 'disconnected', missing_settings: missing });
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});

describe('a gateway without a key', () => {
  it('starts, stays alive, and is degraded', async () => {
    const gateway = await gatewayUnderTest({ env: { API_KEY: '' } });
    expect((await gateway.call('/health')).statusCode).toBe(401);
    expect((await gateway.app.inject('/health/live')).statusCode).toBe(200);
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});
