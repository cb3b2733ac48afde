import { TradingGateway } from './testing/trading-gateway';

describe('a trade request with nothing to do', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ IDEMPOTENCY_TTL_SECONDS: '120' });
  });
  afterEach(() => {
    gateway.simulator.faults.clear();
    return gateway.waitFor(gateway.stop());
  });

  it('gets the same answer under its key, regardless of later positions and of a restart', async () => {
    const first = await gateway.post('/close_all_positions', {}, 'k');
    expect(first).toMatchObject({ status: 200, body: { closed: [], failed: [], client_order_id: 'k' } });
    const again = { status: 200, text: first.text, headers: { 'idempotent-replayed': 'true' } };
    await gateway.buy();
    expect(await gateway.post('/close_all_positions', {}, 'k')).toMatchObject(again);
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    expect((await gateway.get('/trade_requests/k')).body).toMatchObject({ status: 'completed', response_status: 200 });
    await gateway.restart();
    await gateway.buy();
    expect(await gateway.post('/close_all_positions', {}, 'k')).toMatchObject(again);
    expect(await gateway.post('/close_all_positions', { magic: 7 }, 'k')).toMatchObject({ status: 409 });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('is never executed after its answer expired', async () => {
    await gateway.post('/close_all_positions', {}, 'k');
    await gateway.buy();
    await gateway.clock.advance(240_000);
    expect(await gateway.post('/close_all_positions', {}, 'k')).toMatchObject({
      status: 200,
      body: { original_response_expired: true, ticket: null },
    });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('is rejected if its key was made void while it ran', async () => {
    gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    const pending = gateway.post('/close_all_positions', {}, 'k');
    let turns = 0;
    await gateway.until(() => ++turns > 40, 10);
    const voided = await gateway.send('PUT', '/trade_requests/k/void');
    expect(voided.body).toMatchObject({ status: 'void' });
    expect(await gateway.waitFor(pending)).toMatchObject({ status: 422, body: { error_type: 'key_void' } });
    expect(await gateway.statusOf('k')).toBe('void');
  });

  it('leaves nothing in the journal without a key', async () => {
    expect(await gateway.post('/close_all_positions', {})).toMatchObject({ status: 200 });
    expect((await gateway.get('/reconcile')).body.unresolved).toEqual([]);
    await gateway.buy();
    expect(await gateway.post('/close_all_positions', {})).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });
});
