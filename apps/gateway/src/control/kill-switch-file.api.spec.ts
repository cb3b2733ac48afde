import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };

describe('a kill switch whose file cannot be created', () => {
  let gateway: GatewayUnderTest;
  let clock: VirtualClock;
  let env: Record<string, string>;

  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    gateway = await gatewayUnderTest({ clock });
    await gateway.stop();
    // A file where the folder should be: not even root can create anything in it.
    writeFileSync(join(gateway.folder, 'config'), '');
    env = { KILL_SWITCH_FILE: join(gateway.folder, 'config', 'kill-switch') };
    gateway = await gatewayUnderTest({ env, clock, folder: gateway.folder });
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const post = (url: string, payload?: object) =>
    gateway.call({ method: 'POST', url, ...(payload ? { payload } : {}) });
  const events = (): { event: string; error_type: string | null }[] =>
    readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; error_type: string | null })
      .filter(({ event }) => event.startsWith('kill'));
  const health = async (): Promise<Record<string, unknown>> => (await gateway.call('/health')).json();
  const ready = async () => {
    const response = await gateway.call('/health/ready');
    return [response.statusCode, response.json<{ checks: object }>().checks];
  };

  it('is detected at the start: degraded and not ready, while trading is allowed', async () => {
    expect(await health()).toMatchObject({
      status: 'degraded',
      kill_switch_active: false,
      kill_switch_file: { state: 'unwritable', error: expect.stringContaining('(E') },
    });
    expect(await ready()).toMatchObject([503, { kill_switch: { status: 'up' }, kill_switch_file: { status: 'down' } }]);
    expect((await post('/order', order)).statusCode).toBe(200);
  });

  it('still halts and flattens, reports the missing file, and halts again after a restart', async () => {
    await post('/order', order);
    const killed = await post('/kill?flatten=true');
    expect([killed.statusCode, killed.json()]).toMatchObject([
      503,
      {
        ok: false,
        error_type: 'kill_switch_file_error',
        error: expect.stringContaining('the kill-switch file could not be created'),
        kill_switch_active: true,
        flatten: { complete: true, closed: [{ symbol: 'EURUSD' }] },
      },
    ]);
    expect(killed.body).not.toContain(gateway.folder);
    expect((await post('/order', order)).statusCode).toBe(423);
    expect(await health()).toMatchObject({ kill_switch_active: true, kill_switch_file: { state: 'missing' } });
    expect(events()).toMatchObject([{ event: 'kill_engaged', error_type: 'kill_switch_file_error' }]);

    await gateway.stop();
    gateway = await gatewayUnderTest({ env, clock, folder: gateway.folder });
    expect((await post('/order', order)).statusCode).toBe(423);
    expect(await ready()).toMatchObject([503, { kill_switch: { status: 'down' } }]);

    rmSync(join(gateway.folder, 'config'));
    for (let second = 0; second < 500 && !existsSync(env.KILL_SWITCH_FILE ?? ''); second++) {
      await clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(existsSync(env.KILL_SWITCH_FILE ?? '')).toBe(true);
    expect((await post('/kill/release')).json()).toMatchObject({ ok: true, kill_switch_active: false, audited: true });
    expect((await post('/order', order)).statusCode).toBe(200);
  });

  it('names the invalid flag and the missing file', async () => {
    const killed = await post('/kill?flatten=maybe');
    expect(killed.json()).toMatchObject({ error_type: 'kill_switch_file_error', kill_switch_active: true });
    expect(killed.json().error).toContain('nothing was flattened: flatten must be true or false');
  });
});

describe('a directory at KILL_SWITCH_FILE', () => {
  it('halts; /kill reports it, and /kill/release reports that it cannot be removed', async () => {
    const gateway = await gatewayUnderTest();
    mkdirSync(join(gateway.folder, 'kill-switch'));
    const post = (url: string) => gateway.call({ method: 'POST', url });
    expect((await post('/kill')).json()).toMatchObject({ ok: true, kill_switch_active: true });
    const released = await post('/kill/release');
    expect([released.statusCode, released.json()]).toMatchObject([
      503,
      { ok: false, error_type: 'kill_switch_file_error', kill_switch_active: true },
    ]);
    expect(released.json().error).toContain('trading stays halted');
    expect(readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8')).not.toContain('kill_released');
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});

describe('a marker of an earlier halt that cannot be removed', () => {
  it('prevents a release, which reports whether trading is halted', async () => {
    const { folder, stop } = await gatewayUnderTest();
    await stop();
    const marker = join(folder, 'state', 'kill-switch-engaged');
    mkdirSync(marker, { recursive: true });
    const gateway = await gatewayUnderTest({ folder });
    const post = (url: string, payload?: object) =>
      gateway.call({ method: 'POST', url, ...(payload ? { payload } : {}) });
    const released = async (): Promise<unknown> => {
      const response = await post('/kill/release');
      return { status: response.statusCode, ...response.json<object>() };
    };
    const refused = { status: 503, error_type: 'kill_switch_file_error' };
    expect(await released()).toMatchObject({
      ...refused,
      kill_switch_active: true,
      error: expect.stringContaining('trading stays halted'),
    });
    expect((await post('/order', order)).statusCode).toBe(423);

    rmSync(join(folder, 'kill-switch'));
    expect(await released()).toMatchObject({
      ...refused,
      kill_switch_active: false,
      error: expect.stringContaining('trading is not halted, and will be after the next start'),
    });
    expect((await post('/order', order)).statusCode).toBe(200);

    rmSync(marker, { recursive: true });
    expect(await released()).toMatchObject({ status: 200, kill_switch_active: false });
    await gateway.stop();
    removeFolder(folder);
  });
});

describe('the kill switch while the audit log cannot be written', () => {
  it('engages and releases, and reports that the audit log lacks the lines', async () => {
    const gateway = await gatewayUnderTest({ env: { ORDER_AUDIT_FILE: '/dev/full' } });
    const post = (url: string) => gateway.call({ method: 'POST', url });
    expect((await post('/kill')).json()).toMatchObject({ ok: true, kill_switch_active: true, audited: false });
    const released = await post('/kill/release');
    expect([released.statusCode, released.json()]).toEqual([
      200,
      {
        ok: true,
        message: 'trading resumes; the audit log cannot be written and does not record this release',
        kill_switch_active: false,
        audited: false,
      },
    ]);
    expect(existsSync(join(gateway.folder, 'kill-switch'))).toBe(false);
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});
