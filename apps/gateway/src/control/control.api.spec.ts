import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

describe('the kill switch over HTTP', () => {
  let gateway: GatewayUnderTest;
  beforeEach(async () => (gateway = await gatewayUnderTest()));
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const file = (): string => join(gateway.folder, 'kill-switch');
  const audited = (): string[] =>
    readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
  const post = (url: string, payload?: object, key?: string) =>
    gateway.call({
      method: 'POST',
      url,
      ...(payload ? { payload } : {}),
      headers: key ? { 'idempotency-key': key } : {},
    });
  const buy = (key?: string) => post('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' }, key);

  it('halts and resumes trading, and writes both to the audit log', async () => {
    const engaged = await post('/kill');
    expect(engaged.statusCode).toBe(200);
    expect(engaged.json()).toEqual({
      ok: true,
      message: 'trading is halted',
      kill_switch_active: true,
      flatten: null,
      audited: true,
    });
    expect(existsSync(file())).toBe(true);
    const refused = await buy();
    expect(refused.statusCode).toBe(423);
    expect(refused.json()).toMatchObject({ ok: false, error_type: 'kill_switch_active' });
    const released = await post('/kill/release');
    expect(released.json()).toEqual({ ok: true, message: 'trading resumes', kill_switch_active: false, audited: true });
    expect(existsSync(file())).toBe(false);
    expect((await buy()).statusCode).toBe(200);
    expect(audited().filter((event) => /kill|refused/.test(event))).toEqual([
      'kill_engaged',
      'refused',
      'kill_released',
    ]);
    expect((await gateway.call('/metrics')).body).toContain('trade_refusals_total{error_type="kill_switch_active"} 1');
  });

  it('replays an order that was executed before the halt', async () => {
    const done = await buy('before-the-halt');
    await post('/kill');
    const replayed = await buy('before-the-halt');
    expect(replayed.statusCode).toBe(200);
    expect(replayed.body).toBe(done.body);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect((await buy('after-the-halt')).statusCode).toBe(423);
  });

  it('closes everything on request while it is active', async () => {
    await buy();
    const response = await post('/kill?flatten=true');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      kill_switch_active: true,
      flatten: { complete: true, failed: [], closed: [{ symbol: 'EURUSD', volume: 0.1 }] },
    });
    expect((await gateway.call('/get_positions')).json()).toMatchObject({ data: [], total: 0 });
  });

  it('engages even if nothing can be flattened, and reports both', async () => {
    await buy();
    gateway.simulator.faults.set({ kind: 'disconnected' });
    const response = await post('/kill?flatten=true');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ ok: false, error_type: 'terminal_unavailable', kill_switch_active: true });
    expect(existsSync(file())).toBe(true);
  });

  it('halts on an invalid flag, and names the flag', async () => {
    const response = await post('/kill?flatten=maybe');
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      details: [{ field: 'flatten', problem: expect.stringContaining('must be true or false') }],
      kill_switch_active: true,
    });
    expect(existsSync(file())).toBe(true);
  });

  it('shows on the metrics page, from the first scrape on', async () => {
    const value = async (): Promise<string | undefined> =>
      /^kill_switch_active (\d)$/m.exec((await gateway.call('/metrics')).body)?.[1];
    expect(await value()).toBe('0');
    await post('/kill');
    expect(await value()).toBe('1');
  });
});
