import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';

const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };

describe('the kill switch', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let file: string;
  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch);
    file = join(gateway.folder, 'kill-switch');
  });
  afterEach(() => gateway.call('/kill/release', { method: 'POST' }));
  afterAll(() => scratch.clear());

  const statuses = async (): Promise<{ order: number; ready: number }> => ({
    order: (await gateway.trade('/order', order)).status,
    ready: (await gateway.call('/health/ready')).status,
  });

  it('halts trading and readiness when pulled, and gives both back when released', async () => {
    expect(await statuses()).toEqual({ order: 200, ready: 200 });

    const pulled = await gateway.call('/kill', { method: 'POST' });
    expect(pulled.body).toMatchObject({ ok: true, kill_switch_active: true, flatten: null });
    expect(existsSync(file)).toBe(true);
    expect(await statuses()).toEqual({ order: 423, ready: 503 });
    const { body: before } = await gateway.call('/get_positions');
    expect(before.total).toBe(1);

    const released = await gateway.call('/kill/release', { method: 'POST' });
    expect(released.body).toMatchObject({ ok: true, kill_switch_active: false });
    expect(existsSync(file)).toBe(false);
    expect(await statuses()).toEqual({ order: 200, ready: 200 });
  });

  it('is the file and nothing but the file', async () => {
    writeFileSync(file, '');
    expect(await statuses()).toEqual({ order: 423, ready: 503 });
    expect((await gateway.call('/health')).body).toMatchObject({ status: 'degraded', kill_switch_active: true });
    rmSync(file);
    expect(await statuses()).toEqual({ order: 200, ready: 200 });
  });

  it('leaves reading, liveness and the report as they are', async () => {
    await gateway.call('/kill', { method: 'POST' });
    for (const path of ['/health/live', '/health', '/account', '/get_positions', '/reconcile']) {
      expect((await gateway.call(path)).status).toBe(200);
    }
  });

  it('answers the retry of an order that was executed before with its outcome', async () => {
    const headers = { 'idempotency-key': 'before-the-kill' };
    const first = await gateway.call('/order', { method: 'POST', body: order, headers });
    await gateway.call('/kill', { method: 'POST' });
    const retry = await gateway.call('/order', { method: 'POST', body: order, headers });
    expect(retry.headers.get('idempotent-replayed')).toBe('true');
    expect([retry.status, retry.text]).toEqual([200, first.text]);
  });
});
