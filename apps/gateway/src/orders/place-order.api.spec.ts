import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

describe('placing an order', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ SYMBOL_WHITELIST: 'EURUSD,GBPUSD', MAX_ORDER_VOLUME: '5' });
  });
  afterEach(() => gateway.stop());

  it('executes at the quote and reports the fill', async () => {
    const { ask } = await gateway.quote();
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY', sl: 0.9, tp: 1.5 }, 'first');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ok: true,
        message: `BUY 0.1 EURUSD executed at ${ask.toFixed(5)}`,
        state: 'executed',
        partial_fill: false,
        remaining_volume: 0,
        fill_price_source: 'order_send',
        sl_confirmed: true,
        tp_confirmed: true,
        client_order_id: 'first',
        result: { retcode: 10009, retcode_name: 'DONE', price: ask, volume: 0.1 },
      },
    });
    expect(await gateway.rows('/get_positions')).toMatchObject([
      { symbol: 'EURUSD', type_str: 'BUY', volume: 0.1, sl: 0.9, tp: 1.5, client_order_id: 'first' },
    ]);
  });

  it.each(['BUY_LIMIT', 'SELL_LIMIT', 'BUY_STOP', 'SELL_STOP', 'BUY_STOP_LIMIT', 'SELL_STOP_LIMIT'])(
    'places a %s and lists it as pending',
    async (type) => {
      const { bid, ask } = await gateway.quote();
      const above = type === 'SELL_LIMIT' || type === 'BUY_STOP' || type === 'BUY_STOP_LIMIT';
      const price = above ? ask + 0.01 : bid - 0.01;
      const stoplimit = type === 'BUY_STOP_LIMIT' ? price - 0.001 : price + 0.001;
      const answer = await gateway.post('/order', {
        ...eurusd,
        type,
        price,
        ...(type.endsWith('STOP_LIMIT') ? { stoplimit } : {}),
      });
      expect(answer).toMatchObject({ status: 200, body: { state: 'placed', fill_price_source: null } });
      expect(await gateway.rows('/orders')).toMatchObject([{ type_str: type, volume_initial: 0.1 }]);
    },
  );

  it('sends a good-till-date order with its expiry on the server clock', async () => {
    const { bid } = await gateway.quote();
    await gateway.post('/order', {
      ...eurusd,
      type: 'BUY_LIMIT',
      price: bid - 0.01,
      expiration: '2026-01-09T10:00:00Z',
    });
    expect(await gateway.rows('/orders')).toMatchObject([
      { type_time: 2, time_expiration: Date.UTC(2026, 0, 9, 12) / 1_000, time_expiration_utc: '2026-01-09T10:00:00Z' },
    ]);
  });

  it('snaps prices to the grid and rounds half up', async () => {
    const { bid } = await gateway.quote();
    const price = Math.floor((bid - 0.01) * 1e5) / 1e5;
    await gateway.post('/order', { ...eurusd, type: 'BUY_LIMIT', price: price + 0.0000051 });
    const [order] = await gateway.rows('/orders');
    expect(order?.price_open).toBeCloseTo(price + 0.00001, 8);
  });

  it.each([
    ['a symbol off the whitelist', { symbol: 'USDJPY' }, 'symbol_not_allowed', { value: 'USDJPY' }],
    ['too much volume', { volume: 5.01 }, 'volume_limit_exceeded', { limit: 5, value: 5.01 }],
    ['a price far from the market', { price: 9 }, 'price_deviation_exceeded', { limit: 20, field: 'price' }],
    ['too much deviation', { deviation: 1_001 }, 'order_deviation_exceeded', { limit: 1_000, value: 1_001 }],
  ])('refuses %s, naming limit and value', async (_case, fields, error_type, details) => {
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY', ...fields }, 'refused');
    expect(answer).toMatchObject({ status: 422, body: { error_type, details } });
    expect((await gateway.get('/trade_requests/refused')).status).toBe(404);
    expect(await gateway.metric('trade_refusals_total')).toBe(1);
    expect(await gateway.metric('orders_submitted_total')).toBe(0);
    expect(gateway.audit().filter(({ event }) => event === 'refused')).toMatchObject([
      { client_order_id: 'refused', error_type, route: 'POST /order' },
    ]);
  });

  it('refuses an unknown symbol', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start();
    const answer = await gateway.post('/order', { ...eurusd, symbol: 'NOSUCH', type: 'BUY' });
    expect(answer).toMatchObject({ status: 404, body: { error_type: 'not_found' } });
  });

  it('answers a rejection of the broker with its retcode', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10021, times: 1 });
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        error_type: 'broker_rejected',
        details: { retryable: true },
        terminal_error: { retcode: 10021, retcode_name: 'PRICE_OFF' },
      },
    });
    expect(await gateway.metric('orders_failed_total')).toBe(1);
  });

  it('tries another filling only after one is rejected', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10030, times: 1 });
    expect(await gateway.post('/order', { ...eurusd, type: 'BUY' })).toMatchObject({ status: 200 });
    expect(gateway.audit().map(({ event, retcode }) => [event, retcode])).toEqual([
      ['login', null],
      ['intent', null],
      ['broker_response', 10030],
      ['intent', null],
      ['broker_response', 10009],
    ]);
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('looks up a fill that was acknowledged without price and deal', async () => {
    const { ask } = await gateway.quote();
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' });
    expect(answer.body).toMatchObject({ state: 'executed', fill_price_source: 'deal', result: { price: ask } });
  });

  it('answers null, never 0, while the price of a fill is unknown', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet', 'positionsGet'] });
    const answer = await gateway.waitFor(gateway.post('/order', { ...eurusd, type: 'BUY' }));
    expect(answer.body).toMatchObject({
      state: 'executed',
      fill_price_source: 'unresolved',
      result: { price: null, deal: null },
    });
  });

  it('names the order that the acknowledgement lacks, even while its price is unknown', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet', 'positionsGet'] });
    const answer = await gateway.waitFor(gateway.post('/order', { ...eurusd, type: 'BUY' }, 'no-order'));
    gateway.simulator.faults.clear();
    const [position] = await gateway.rows('/get_positions');
    expect(answer.body).toMatchObject({ fill_price_source: 'unresolved', result: { order: position?.ticket } });
    expect(position).toMatchObject({ client_order_id: 'no-order' });
  });

  it('names no order that the acknowledgement lacks while it could be that of a like request', async () => {
    const like = { ...eurusd, type: 'BUY', magic: 7, comment: 'grid' };
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    expect(await gateway.post('/order', like, 'unknown')).toMatchObject({ status: 502 });
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    const answer = await gateway.waitFor(gateway.post('/order', like, 'no-order'));
    expect(answer).toMatchObject({ status: 200, body: { result: { order: null } } });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ client_order_id: null }]);
  });

  it('names the pending order that the acknowledgement lacks', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    const { bid } = await gateway.quote();
    const body = { ...eurusd, type: 'BUY_LIMIT', price: bid - 0.01, sl: bid - 0.02 };
    const answer = await gateway.waitFor(gateway.post('/order', body, 'no-order'));
    const [order] = await gateway.rows('/orders');
    expect(answer.body).toMatchObject({ state: 'placed', sl_confirmed: true, result: { order: order?.ticket } });
    expect(order).toMatchObject({ client_order_id: 'no-order' });
  });

  it('names the position that it opened, even without levels to confirm', async () => {
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' });
    const [position] = await gateway.rows('/get_positions');
    expect(answer.body).toMatchObject({ position: position?.ticket, sl_confirmed: null, tp_confirmed: null });
  });

  it('sends nothing to a terminal that has just been logged in to another account', async () => {
    expect((await gateway.post('/order', { ...eurusd, type: 'BUY' }, 'mine')).status).toBe(200);
    gateway.simulator.faults.set({ kind: 'other-account', login: 424242 });
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' }, 'not-theirs');
    expect(answer).toMatchObject({ status: 503, body: { error_type: 'terminal_unavailable' } });
    expect(gateway.audit().filter(({ event }) => event === 'intent')).toHaveLength(1);
  });

  it('reports a market order as placed, not executed, until a fill is seen (10008)', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, times: 1 });
    const answer = await gateway.waitFor(gateway.post('/order', { ...eurusd, type: 'BUY' }));
    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'placed', remaining_volume: 0.1, fill_price_source: 'unresolved', result: { price: null } },
    });
  });

  it('returns the submitted request', async () => {
    await gateway.buy();
    expect(await gateway.metric('orders_submitted_total{symbol="EURUSD",side="buy"}')).toBe(1);
    expect(await gateway.metric('order_send_duration_seconds_count')).toBe(1);
  });
});

describe('a terminal booted without live trading', () => {
  it('reads, and has every order rejected by the terminal', async () => {
    const gateway = await TradingGateway.start({ TERMINAL_ENABLE_ALGO_TRADING: 'off' });
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' });
    expect(answer).toMatchObject({
      status: 422,
      body: { error_type: 'broker_rejected', terminal_error: { retcode: 10027, retcode_name: 'CLIENT_DISABLES_AT' } },
    });
    await gateway.stop();
  });
});
