import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway } from './testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('an idempotency key', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  it('replays the original answer to the byte and sends nothing again', async () => {
    const first = await gateway.post('/order', order, 'k');
    const second = await gateway.post('/order', order, 'k');
    expect(second.text).toBe(first.text);
    expect(second.status).toBe(first.status);
    expect(second.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'content-type': first.headers['content-type'],
    });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    expect(await gateway.metric('idempotent_replays_total')).toBe(1);
  });

  it('lets one of two hundred simultaneous requests through', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => gateway.post('/order', order, 'k')));
    const kinds = new Set(
      answers.map(({ status, body }) => `${status} ${typeof body.error_type === 'string' ? body.error_type : 'ok'}`),
    );
    expect([...kinds].every((kind) => kind === '200 ok' || kind === '409 idempotency_in_progress')).toBe(true);
    expect(answers.filter(({ status, headers }) => status === 200 && !('idempotent-replayed' in headers))).toHaveLength(
      1,
    );
    expect(answers.find(({ status }) => status === 409)?.headers['retry-after']).toBe('1');
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('rejects other parameters under the same key', async () => {
    await gateway.post('/order', order, 'k');
    expect(await gateway.post('/order', { ...order, volume: 0.2 }, 'k')).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict' },
    });
    expect(await gateway.post('/close_position', { position: 1 }, 'k')).toMatchObject({ status: 409 });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('rejects a request that differs in any one field', async () => {
    const { bid } = await gateway.quote();
    const limit = { ...order, type: 'BUY_LIMIT', price: bid - 0.01, sl: bid - 0.02, tp: bid + 0.02 };
    const whole = { ...limit, deviation: 10, magic: 7, comment: 'a', expiration: '2036-01-05T10:00:00Z' };
    expect(await gateway.post('/order', whole, 'whole')).toMatchObject({ status: 200 });
    const others = {
      symbol: 'GBPUSD',
      volume: 0.2,
      type: 'SELL_LIMIT',
      price: bid - 0.011,
      sl: bid - 0.021,
      tp: bid + 0.03,
    };
    const changes = { ...others, deviation: 11, magic: 8, comment: 'b', expiration: '2036-01-05T11:00:00Z' };
    expect(Object.keys(changes).sort()).toEqual(Object.keys(whole).sort());
    for (const [field, value] of Object.entries(changes)) {
      for (const body of [
        { ...whole, [field]: value },
        Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field)),
      ])
        expect([field, await gateway.post('/order', body, 'whole')]).toMatchObject([
          field,
          { status: 409, body: { error_type: 'idempotency_conflict' } },
        ]);
    }
    expect(await gateway.rows('/orders')).toHaveLength(1);
  });

  it('works in the body too, regardless of the order of the fields', async () => {
    const first = await gateway.post('/order', { ...order, client_order_id: 'k' });
    const again = await gateway.send('POST', '/order', '{"type":"BUY","volume":0.10,"symbol":"EURUSD"}', {
      'idempotency-key': 'k',
      'content-type': 'application/json',
    });
    expect(again.text).toBe(first.text);
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, object, string]>([
    ['two that differ', { 'idempotency-key': 'a' }, { client_order_id: 'b' }, 'client_order_id'],
    ['one that is too long', { 'idempotency-key': 'x'.repeat(129) }, {}, 'Idempotency-Key'],
    ['one that is blank', {}, { client_order_id: '  ' }, 'client_order_id'],
    ['one that is empty', {}, { client_order_id: '' }, 'client_order_id'],
    ['one that is not a string', {}, { client_order_id: 7 }, 'client_order_id'],
    ['one that is not ASCII', {}, { client_order_id: 'schlüssel' }, 'client_order_id'],
  ])('refuses %s', async (_case, headers, body, field) => {
    const answer = await gateway.send('POST', '/order', { ...order, ...body }, headers);
    expect(answer).toMatchObject({ status: 400, body: { error_type: 'validation_error', details: [{ field }] } });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('remembers a rejection by the broker', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10019, times: 1 });
    const first = await gateway.post('/order', order, 'k');
    const second = await gateway.post('/order', order, 'k');
    expect(first.status).toBe(422);
    expect(second.text).toBe(first.text);
    expect(await gateway.statusOf('k')).toBe('completed');
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('stays bound to a refused request, which is checked again', async () => {
    expect(await gateway.post('/order', { ...order, volume: 0.001 }, 'k')).toMatchObject({ status: 400 });
    expect(await gateway.statusOf('k')).toBeNull();
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 409 });
    expect(await gateway.post('/order', { ...order, volume: 0.001 }, 'k')).toMatchObject({ status: 400 });
  });

  it('is free again when the link was down before the send', async () => {
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 503 });
    gateway.simulator.faults.clear();
    await gateway.until(async () => (await gateway.get('/account')).status === 200);
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('is remembered over a restart', async () => {
    const first = await gateway.post('/order', order, 'k');
    await gateway.restart();
    const second = await gateway.post('/order', order, 'k');
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await gateway.rows('/get_positions')).toEqual([]); // the embedded broker starts empty, so nothing was sent
  });

  it('is not sent again after its response expired, regardless of the wall clock', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start({ IDEMPOTENCY_TTL_SECONDS: '120' });
    const first = await gateway.post<{ result: { order: number } }>('/order', order, 'k');
    gateway.clock.jump(86_400_000);
    await gateway.clock.advance(119_000);
    expect((await gateway.post('/order', order, 'k')).text).toBe(first.text);
    await gateway.clock.advance(2_000);
    const { order: ticket } = first.body.result;
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: { ok: true, original_response_expired: true, ticket, result: { order: ticket }, client_order_id: 'k' },
    });
    expect((await gateway.get('/trade_requests/k')).body).toMatchObject({
      ...{ key: 'k', route: 'POST /order', status: 'completed', response_status: 200 },
      response: { ticket },
    });
    expect(await gateway.post('/order', { ...order, volume: 0.2 }, 'k')).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict', details: { key: 'k', route: 'POST /order' } },
    });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ client_order_id: 'k' }]);
  });

  it('is replayed while the kill switch is active and while the terminal is unavailable', async () => {
    const first = await gateway.post('/order', order, 'k');
    writeFileSync(join(gateway.folder, 'kill-switch'), '');
    expect((await gateway.post('/order', order, 'k')).text).toBe(first.text);
    expect(await gateway.post('/order', order, 'new')).toMatchObject({ status: 423 });
    rmSync(join(gateway.folder, 'kill-switch'));
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect((await gateway.post('/order', order, 'k')).text).toBe(first.text);
  });

  it('is optional: each request without one is sent', async () => {
    await gateway.post('/order', order);
    await gateway.post('/order', order);
    expect(await gateway.rows('/get_positions')).toHaveLength(2);
  });
});
