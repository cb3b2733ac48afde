import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

const fixture = join(__dirname, '../../../../test/fixtures/v0.1.0');
/** Some seconds after version 0.1.0 was killed. */
const startMs = Date.UTC(2026, 10, 21, 23, 22);
const order = { symbol: 'EURUSD', volume: 0.3, type: 'BUY', magic: 7, sl: 1.0588, tp: 1.1588 };

describe('the state of version 0.1.0', () => {
  let folder: string;
  let gateway: GatewayUnderTest;
  let clock: VirtualClock;

  const start = async (nowMs: number): Promise<void> => {
    clock = new VirtualClock(nowMs);
    gateway = await gatewayUnderTest({
      ...{ folder, clock },
      env: { SIM_STATE_FILE: join(folder, 'account'), TERMINAL_SERVER_TIME_ZONE: 'UTC' },
    });
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'v0.1.0-'));
    for (const name of ['trade-journal', 'trade-events']) {
      cpSync(join(fixture, 'gateway', name), join(folder, 'state', name), { recursive: true });
    }
    cpSync(join(fixture, 'gateway/order-audit.jsonl'), join(folder, 'order-audit.jsonl'));
    cpSync(join(fixture, 'simulator/account'), join(folder, 'account'));
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(folder);
  });

  const send = async (key: string, payload: object) => {
    const response = await gateway.call({
      ...{ method: 'POST', url: '/order', payload, headers: { 'idempotency-key': key } },
    });
    return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, unknown>>() };
  };
  const statusOf = async (key: string): Promise<unknown> =>
    (await gateway.call(`/trade_requests/${key}`)).json<Record<string, unknown>>().status;

  it('is loaded: finished requests are replayed, and a used key is not sent again', async () => {
    await start(startMs);
    const before = (await gateway.call('/positions_total')).json<{ total: number }>().total;
    expect(await send('fixture-done', order)).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: { ok: true, result: { order: 530218003 } },
    });
    expect(await send('fixture-done', { ...order, volume: 0.2 })).toMatchObject({ status: 409 });
    for (const key of ['done', 'partial', 'levels', 'pending', 'pending-2', 'cancel', 'rejected']) {
      expect([key, await statusOf(`fixture-${key}`)]).toEqual([key, 'completed']);
    }
    expect((await gateway.call('/positions_total')).json()).toMatchObject({ total: before });
  });

  it('leaves no request open: requests in flight become unknown and are looked up', async () => {
    await start(startMs);
    const doubtful = ['fixture-unknown', 'd0bb04b83d8d2b498-6', 'd0bb04b83d8d2b498-7'];
    for (const key of doubtful) expect(['unknown', 'recovered']).toContain(await statusOf(key));
    const settled = async (): Promise<boolean> =>
      (await Promise.all(doubtful.map(statusOf))).every((status) => status === 'absent' || status === 'recovered');
    // The clock is virtual; the journal's disk is real.
    for (let step = 0; step < 200 && !(await settled()); step++) await clock.advance(5_000);
    expect(await settled()).toBe(true);
  });

  it('is not taken for a lost journal: orders are accepted and the audit log continues', async () => {
    await start(startMs);
    expect(await send('after-the-update', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' })).toMatchObject({
      status: 200,
    });
    const lines = readFileSync(join(folder, 'order-audit.jsonl'), 'utf8').trimEnd().split('\n');
    const sequences = lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    expect(sequences).toEqual(lines.map((_line, index) => index + 1));
    expect((await gateway.call('/health')).json()).toMatchObject({ status: 'healthy' });
  });
});
