import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

const fixture = join(__dirname, '../../../../test/fixtures/with-fences');
/** After that version was killed; its market ran ahead of the clock. */
const startMs = Date.UTC(2026, 10, 23, 13, 10);
const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 };

describe('the state of the version with fences', () => {
  let folder: string;
  let gateway: GatewayUnderTest;
  let clock: VirtualClock;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'with-fences-'));
    for (const name of ['trade-journal', 'trade-events']) {
      cpSync(join(fixture, 'gateway', name), join(folder, 'state', name), { recursive: true });
    }
    for (const name of ['order-audit.jsonl', 'kill-switch']) cpSync(join(fixture, 'gateway', name), join(folder, name));
    cpSync(join(fixture, 'simulator/account'), join(folder, 'account'));
    clock = new VirtualClock(startMs);
    const env = { SIM_STATE_FILE: join(folder, 'account'), SIM_HOURS: 'always', TERMINAL_SERVER_TIME_ZONE: 'UTC' };
    gateway = await gatewayUnderTest({ folder, clock, env });
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(folder);
  });

  const get = async (url: string) => (await gateway.call(url)).json<Record<string, unknown>>();
  const send = async (key: string, payload: object, headers: Readonly<Record<string, string>> = {}) => {
    const call = { method: 'POST', url: '/order', payload, headers: { 'idempotency-key': key, ...headers } } as const;
    const response = await gateway.call(call);
    return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
  };
  const release = () => gateway.call({ method: 'POST', url: '/kill/release' });
  const statusOf = async (key: string) => (await get(`/trade_requests/${key}`))['status'];

  it('keeps its halt, and its journal is not taken for a lost one', async () => {
    expect(await get('/health')).toMatchObject({ kill_switch_active: true, journal: { state: 'ok' } });
    expect(await send('after-the-update', order)).toMatchObject({ status: 423 });
    await release();
    expect(await send('after-the-update', order)).toMatchObject({ status: 200 });
  });

  it('sends no used key again, with the same or with other parameters', async () => {
    await release();
    const before = await get('/positions_total');
    expect(await send('fixture-done', order)).toMatchObject({ status: 200, body: { client_order_id: 'fixture-done' } });
    expect(await send('fixture-done', { ...order, volume: 0.2 })).toMatchObject({ status: 409 });
    expect(await send('fixture-rejected', { ...order, volume: 90 })).toMatchObject({ status: 422 });
    expect(await send('fixture-void', order)).toMatchObject({ status: 422, body: { error_type: 'key_void' } });
    // The refused key is bound to its parameters.
    expect(await send('fixture-refused', order)).toMatchObject({ status: 409 });
    expect(await statusOf('fixture-partial')).toBe('completed');
    expect(await get('/positions_total')).toEqual(before);
  });

  it('leaves unknown outcomes open until they are looked up', async () => {
    await release();
    const doubtful = {
      'fixture-unknown': { ...order, volume: 0.07 },
      'fixture-in-flight': { ...order, volume: 0.06, magic: 7001 },
    };
    for (const [key, body] of Object.entries(doubtful)) {
      expect([key, await statusOf(key)]).toEqual([key, 'unknown']);
      expect([key, (await send(key, body)).status]).toEqual([key, 502]);
    }
    const settled = async () =>
      (await Promise.all(Object.keys(doubtful).map(statusOf))).every(
        (status) => status === 'absent' || status === 'recovered',
      );
    for (let step = 0; step < 200 && !(await settled()); step++) await clock.advance(5_000);
    expect(await settled()).toBe(true);
  });

  it('continues the sequences of its events and of its audit log', async () => {
    const { last_seq: before } = (await get('/events?since=0')) as { last_seq: number };
    expect(before).toBeGreaterThan(0);
    await release();
    await send('after-the-update', order);
    for (let step = 0; step < 50 && (await get('/events?since=0'))['last_seq'] === before; step++)
      await clock.advance(500);
    const page = (await get(`/events?since=${before}`)) as { resync: boolean; data: readonly { seq: number }[] };
    expect([page.resync, page.data[0]?.seq]).toEqual([false, before + 1]);
    const lines = readFileSync(join(folder, 'order-audit.jsonl'), 'utf8').trimEnd().split('\n');
    const sequences = lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    expect(sequences).toEqual(lines.map((_line, index) => index + 1));
  });

  it('keeps its fences', async () => {
    await release();
    expect(await get('/fences')).toMatchObject({
      data: [
        { strategy: 'ladder', token: 3, state: 'raised' },
        { strategy: 'trend', token: 7, state: 'raised', magics: [7001] },
      ],
    });
    expect(await send('late', order, { 'x-fence': 'trend;6' })).toMatchObject({
      status: 412,
      body: { error_type: 'fenced_out' },
    });
    expect(await send('unfenced', { ...order, magic: 7001 })).toMatchObject({ status: 412 });
    expect(await send('holder', { ...order, magic: 7001 }, { 'x-fence': 'trend;7' })).toMatchObject({ status: 200 });
  });
});
