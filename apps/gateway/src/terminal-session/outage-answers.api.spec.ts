import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import { ServerTime } from '../server-time/server-time';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { type GatewayUnderTest, gatewayUnderTest, removeFolder } from '../testing/gateway-under-test';

let clock: VirtualClock;
let gateway: GatewayUnderTest;

async function start(env: Readonly<Record<string, string>> = {}): Promise<Simulator> {
  clock = new VirtualClock(Date.UTC(2024, 0, 16, 10));
  gateway = await gatewayUnderTest({ clock, env: { SIM_HISTORY_DAYS: '2', ...env } });
  const simulator: Simulator | null = gateway.app.get(EMBEDDED_SIMULATOR);
  if (!simulator) throw new Error('no simulator is embedded');
  return simulator;
}

afterEach(async () => {
  await gateway.stop();
  removeFolder(gateway.folder);
});

/** The result of a request: status, error type, and Retry-After. */
async function met(url: string): Promise<string> {
  const { statusCode, headers, json } = await gateway.call(url);
  const { error_type: type }: { error_type?: string } = json();
  return [statusCode, type ?? 'ok', headers['retry-after'] ?? '-'].join(' ');
}

describe('an outage, seen by API clients', () => {
  it('fails requests at once with the seconds to wait, appears in health and metrics, and ends without a restart', async () => {
    const simulator = await start();
    expect(await met('/account')).toBe('200 ok -');
    simulator.faults.set({ kind: 'disconnected' });
    expect(await met('/get_positions')).toBe('503 terminal_unavailable 1');
    await clock.advance(1_000);
    expect(await met('/account')).toBe('503 terminal_unavailable 2');
    await clock.advance(2_000);
    expect(await met('/account')).toBe('503 reconnect_cooldown 5');
    await clock.advance(1_500);
    expect(await met('/account')).toBe('503 reconnect_cooldown 4');
    expect((await gateway.call('/health')).json()).toMatchObject({
      ...{ status: 'degraded', terminal_status: 'cooldown', account: null },
      connection: { driver: 'simulator', attempts: 3, cooldown_remaining_seconds: 4 },
      last_error: { code: -10_003 },
    });
    expect((await gateway.call('/metrics')).body).toMatch(/^terminal_connected 0$/m);

    simulator.faults.clear();
    await clock.advance(3_500);
    expect(await met('/account')).toBe('200 ok -');
    expect((await gateway.call('/health')).json()).toMatchObject({ terminal_status: 'connected', account: 100_001 });
    const metrics = (await gateway.call('/metrics')).body;
    expect(metrics).toMatch(/^terminal_connected 1$/m);
    expect(metrics).toMatch(/^terminal_reconnects_total 1$/m);
  });
});

describe('a login that the broker refuses', () => {
  it('is named with the settings to check, never their values, in answers, health and readiness', async () => {
    await start({
      ...{ TERMINAL_LOGIN: '100001', TERMINAL_PASSWORD: 'hunter2', TERMINAL_SERVER: 'Simulator-Demo' },
    });
    const refused =
      'the broker refused the login (Terminal: Authorization failed, -6): ' +
      'check TERMINAL_LOGIN, TERMINAL_PASSWORD and TERMINAL_SERVER';
    const text = `there is no session with the terminal: ${refused}; the next attempt follows the cooldown`;
    const answer = await gateway.call('/account');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      error: text,
      error_type: 'reconnect_cooldown',
      details: {
        reason: 'cooldown',
        problem: 'login_refused',
        settings: ['TERMINAL_LOGIN', 'TERMINAL_PASSWORD', 'TERMINAL_SERVER'],
      },
      terminal_error: { code: -6 },
    });
    const health = await gateway.call('/health');
    expect(health.json()).toMatchObject({ connection: { problem: text }, last_error: { code: -6 } });
    const unknown = { status: 'unknown', reason: expect.stringContaining('needs a session') };
    const ready = await gateway.call('/health/ready');
    expect(ready.json()).toMatchObject({
      checks: { terminal: { status: 'down', reason: text }, account: unknown, journal: unknown },
    });
    for (const { body } of [answer, health, ready]) expect(body).not.toContain('hunter2');
  });

  it('is not a wrong token of the bridge, nor a terminal without its server', async () => {
    const simulator = await start();
    simulator.faults.set({ kind: 'server-lost' });
    await clock.advance(1_000);
    expect((await gateway.call('/account')).json()).toMatchObject({
      error: expect.stringContaining("no connection to the broker's server"),
      details: { problem: 'no_server', settings: ['TERMINAL_SERVER'] },
    });
  });
});

describe('server time in the running gateway', () => {
  it('is derived after the login, shown in health and kept in STATE_DIR', async () => {
    await start();
    await clock.advance(5_000);
    await gateway.app.get(ServerTime, { strict: false }).kept();
    expect((await gateway.call('/health')).json()).toMatchObject({
      server_time: {
        offset_seconds: 7_200,
        source: 'derived',
        symbol: expect.any(String),
        age_seconds: expect.any(Number),
      },
    });
    expect(existsSync(join(gateway.folder, 'state', 'server-time-offset.json'))).toBe(true);
  });

  it('is the configured zone, regardless of quotes', async () => {
    await start({ TERMINAL_SERVER_TIME_ZONE: 'Asia/Kolkata' });
    await clock.advance(5_000);
    expect((await gateway.call('/health')).json()).toMatchObject({
      server_time: { offset_seconds: 19_800, source: 'zone', symbol: null, derived_at: null, age_seconds: null },
    });
  });
});
