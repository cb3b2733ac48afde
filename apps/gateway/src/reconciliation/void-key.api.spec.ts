import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway, type Answer } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('a key that is made void', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.waitFor(gateway.stop()));
  const makeVoid = (key: string): Promise<Answer> =>
    gateway.send('PUT', `/trade_requests/${encodeURIComponent(key)}/void`);

  it('rejects every later request under it, over a restart too', async () => {
    expect(await makeVoid('k')).toMatchObject({ status: 200, body: { ok: true, key: 'k', status: 'void' } });
    for (let restarts = 0; restarts < 2; restarts++) {
      expect(await gateway.post('/order', order, 'k')).toMatchObject({
        status: 422,
        body: { error_type: 'key_void', details: { key: 'k' } },
      });
      expect(await gateway.statusOf('k')).toBe('void');
      await gateway.restart();
    }
    expect(await makeVoid('k')).toMatchObject({ status: 200, body: { status: 'void' } });
    expect(await gateway.metric('orders_submitted_total')).toBe(0);
    expect(gateway.audit().filter(({ event }) => event === 'voided')).toMatchObject([{ client_order_id: 'k' }]);
  });

  it('works under the kill switch and while the terminal is unavailable', async () => {
    writeFileSync(join(gateway.folder, 'kill-switch'), '');
    expect(await makeVoid('halted')).toMatchObject({ status: 200, body: { status: 'void' } });
    expect(await gateway.post('/order', order, 'halted')).toMatchObject({ status: 422 });
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await makeVoid('a/b c')).toMatchObject({ status: 200, body: { key: 'a/b c', status: 'void' } });
    expect(await gateway.post('/order', order, 'a/b c')).toMatchObject({
      status: 422,
      body: { error_type: 'key_void' },
    });
  });

  it('stays the key of a request that was sent, and the answer is its status', async () => {
    await gateway.post('/order', order, 'done');
    expect((await makeVoid('done')).body).toMatchObject({ status: 'completed', response_status: 200 });
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    await gateway.post('/order', order, 'lost');
    expect((await makeVoid('lost')).body).toMatchObject({ status: 'unknown', response_status: 502 });
    expect(await gateway.post('/order', order, 'done')).toMatchObject({ status: 200 });
  });

  it('stops a request that is being checked, before its send', async () => {
    gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    const pending = gateway.post('/order', order, 'k');
    let turns = 0;
    await gateway.until(() => ++turns > 40, 10);
    expect((await makeVoid('k')).body).toMatchObject({ status: 'void' });
    expect(await gateway.waitFor(pending)).toMatchObject({ status: 422, body: { error_type: 'key_void' } });
    gateway.simulator.faults.clear();
    expect(await gateway.waitFor(gateway.rows('/get_positions'))).toEqual([]);
    expect(await gateway.statusOf('k')).toBe('void');
  });

  it('does not stop a request whose intent is written: the request is in progress', async () => {
    gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'sends' });
    const pending = gateway.post('/order', order, 'k');
    await gateway.until(() => gateway.audit().some(({ event }) => event === 'intent'), 10);
    expect((await makeVoid('k')).body).toMatchObject({ status: 'in_progress', response: null });
    expect(await gateway.waitFor(pending)).toMatchObject({ status: 200 });
  });

  it.each(['%20', 'x'.repeat(129), 'schl%C3%BCssel'])('rejects %s, which is not a key', async (key) => {
    expect(await gateway.send('PUT', `/trade_requests/${key}/void`)).toMatchObject({
      status: 400,
      body: { error_type: 'validation_error', details: [{ field: 'key' }] },
    });
  });
});
