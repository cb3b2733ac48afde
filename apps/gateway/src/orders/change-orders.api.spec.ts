import { OrderTime, OrderType, TradeAction } from '@libs/terminal-client';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

describe('a pending order', () => {
  let gateway: TradingGateway;
  let ticket: number;
  let price: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    const { bid } = await gateway.quote();
    price = Math.round((bid - 0.02) * 1e5) / 1e5;
    const expiration = '2026-01-09T10:00:00Z';
    const placed = await gateway.post<{ result: { order: number } }>(
      '/order',
      { ...eurusd, type: 'BUY_LIMIT', price, sl: 0.8, tp: 1.6, expiration, magic: 7 },
      'p',
    );
    ticket = placed.body.result.order;
  });
  afterEach(() => gateway.stop());

  const order = async () => (await gateway.rows('/orders'))[0];

  it('is listed with the key of its request', async () => {
    expect(await gateway.rows(`/orders?ticket=${ticket}`)).toMatchObject([
      { ticket, type_str: 'BUY_LIMIT', client_order_id: 'p', magic: 7, time_expiration_utc: '2026-01-09T10:00:00Z' },
    ]);
    expect(await gateway.rows('/orders?magic=8')).toEqual([]);
    expect(await gateway.rows('/orders?symbol=GBPUSD')).toEqual([]);
  });

  it('keeps the fields that a change omits', async () => {
    const moved = Math.round((price - 0.01) * 1e5) / 1e5;
    expect(await gateway.send('PUT', `/orders/${ticket}`, { price: moved })).toMatchObject({
      status: 200,
      body: { ticket, price: moved, sl: 0.8, tp: 1.6, time_expiration_utc: '2026-01-09T10:00:00Z', no_changes: false },
    });
    expect(await order()).toMatchObject({ price_open: moved, sl: 0.8, tp: 1.6, type_time: 2 });
  });

  it('keeps the price that a stop-limit order gets while it is changed', async () => {
    const [stop, limit, now] = [0.02, 0.01, 0.015].map((above) => Math.round((price + 0.02 + above) * 1e5) / 1e5);
    const stopLimit = { ...eurusd, type: 'BUY_STOP_LIMIT', price: stop, stoplimit: limit };
    const placed = await gateway.post<{ result: { order: number } }>('/order', stopLimit);
    const { order: changed } = placed.body.result;
    gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    const change = gateway.send('PUT', `/orders/${changed}`, { sl: 0.81 }, { 'idempotency-key': 'change' });
    // The read of the order has ended, that of the quote has not.
    await gateway.until(async () => (await gateway.statusOf('change')) === 'in_progress', 0);
    await gateway.clock.advance(1_500);
    gateway.simulator.faults.clear('latency');
    const prices = { type: OrderType.BUY_STOP_LIMIT, price: now ?? 0, stoplimit: limit ?? 0 };
    await gateway.byHand({ action: TradeAction.MODIFY, order: changed, symbol: 'EURUSD', ...prices });
    expect(await gateway.waitFor(change, 50)).toMatchObject({ status: 200, body: { price: now, sl: 0.81 } });
  });

  it('keeps what a concurrent change sets', async () => {
    const moved = Math.round((price - 0.01) * 1e5) / 1e5;
    const changes = [{ price: moved }, { sl: 0.81 }, { tp: 1.61 }];
    const answers = await Promise.all(changes.map((change) => gateway.send('PUT', `/orders/${ticket}`, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await order()).toMatchObject({ price_open: moved, sl: 0.81, tp: 1.61 });
  });

  it('is not changed while it is shown as it was before the last change', async () => {
    const moved = Math.round((price - 0.01) * 1e5) / 1e5;
    const changed = (fields: object) => gateway.waitFor(gateway.send('PUT', `/orders/${ticket}`, fields));
    gateway.simulator.faults.set({ kind: 'late-lists', ordersMs: 15_000 });
    expect(await gateway.send('PUT', `/orders/${ticket}`, { sl: 0.81 })).toMatchObject({ status: 200 });
    expect(await changed({ price: moved })).toMatchObject({
      ...{ status: 503, headers: { 'retry-after': '1' } },
      body: {
        error_type: 'account_not_synchronized',
        error: `the account is not synchronized: order ${ticket} is shown as it was before its last change; nothing was sent`,
      },
    });
    // What it is asked to set, it does not keep.
    expect(await changed({ sl: 0.8 })).toMatchObject({ status: 200 });
    expect(await changed({ sl: 0.82 })).toMatchObject({ status: 200 });
    await gateway.clock.advance(20_000);
    expect(await changed({ price: moved })).toMatchObject({ status: 200, body: { price: moved } });
    gateway.simulator.faults.clear('late-lists');
    expect(await order()).toMatchObject({ price_open: moved, sl: 0.82 });
  });

  it('is not changed while its end is shown as it was before the last change', async () => {
    const day = { action: TradeAction.MODIFY, order: ticket, price, sl: 0.8, tp: 1.6, type_time: OrderTime.DAY };
    // Good till cancelled, like the day order without a time.
    await gateway.send('PUT', `/orders/${ticket}`, { clear_expiration: true });
    gateway.simulator.faults.set({ kind: 'late-lists', ordersMs: 15_000 });
    await gateway.clock.advance(16_000);
    expect(await gateway.waitFor(gateway.post('/order_send', day))).toMatchObject({ status: 200 });
    expect(await gateway.waitFor(gateway.send('PUT', `/orders/${ticket}`, { sl: 0.81 }))).toMatchObject({
      ...{ status: 503, body: { error_type: 'account_not_synchronized' } },
    });
  });

  it.each([
    ['price', { price: 1.16 }],
    ['price after the stop', { stoplimit: 1.09 }],
    ['expiration', { expiration: '2026-01-10T00:00:00Z' }],
  ])('does not keep the %s that is shown as it was before the last change', async (_field, changed) => {
    const { body } = await gateway.post<{ result: { order: number } }>('/order', {
      ...{ ...eurusd, type: 'BUY_STOP_LIMIT', price: 1.15, stoplimit: 1.1, expiration: '2026-01-09T10:00:00Z' },
    });
    const change = (fields: object) => gateway.waitFor(gateway.send('PUT', `/orders/${body.result.order}`, fields));
    gateway.simulator.faults.set({ kind: 'late-lists', ordersMs: 15_000 });
    await gateway.clock.advance(16_000);
    expect(await change(changed)).toMatchObject({ status: 200 });
    expect(await change({ sl: 0.81 })).toMatchObject({ status: 503, body: { error_type: 'account_not_synchronized' } });
    expect(await change({ ...changed, sl: 0.82 })).toMatchObject({ status: 200 });
  });

  it('loses an expiration that is shown as it was before the last change', async () => {
    gateway.simulator.faults.set({ kind: 'late-lists', ordersMs: 15_000 });
    const change = (fields: object) => gateway.waitFor(gateway.send('PUT', `/orders/${ticket}`, fields));
    expect(await change({ expiration: '2026-01-10T00:00:00Z' })).toMatchObject({ status: 200 });
    expect(await change({ clear_expiration: true })).toMatchObject({ status: 200 });
    gateway.simulator.faults.clear('late-lists');
    expect(await order()).toMatchObject({ type_time: 0, time_expiration: 0 });
  });

  it('waits for a list that is shortly behind the last change', async () => {
    const moved = Math.round((price - 0.01) * 1e5) / 1e5;
    gateway.simulator.faults.set({ kind: 'late-lists', ordersMs: 500 });
    expect(await gateway.send('PUT', `/orders/${ticket}`, { sl: 0.81 })).toMatchObject({ status: 200 });
    const second = gateway.send('PUT', `/orders/${ticket}`, { price: moved });
    expect(await gateway.waitFor(second, 50)).toMatchObject({ status: 200 });
    await gateway.clock.advance(1_000);
    expect(await order()).toMatchObject({ price_open: moved, sl: 0.81 });
  });

  it('can be changed after a rejected change', async () => {
    const changes = [{ sl: 1.9 }, { sl: 0.82 }];
    const answers = await Promise.all(changes.map((change) => gateway.send('PUT', `/orders/${ticket}`, change)));
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
  });

  it('loses levels and expiration only through the clear flags', async () => {
    await gateway.send('PUT', `/orders/${ticket}`, { clear_sl: true, clear_expiration: true });
    expect(await order()).toMatchObject({ sl: 0, tp: 1.6, type_time: 0, time_expiration: 0 });
    await gateway.send('PUT', `/orders/${ticket}`, { clear_tp: true, expiration: '2026-01-10T00:00:00Z' });
    expect(await order()).toMatchObject({ tp: 0, type_time: 2, time_expiration_utc: '2026-01-10T00:00:00Z' });
  });

  it('answers success to a change that changes nothing', async () => {
    expect(await gateway.send('PUT', `/orders/${ticket}`, { price })).toMatchObject({
      status: 200,
      body: { no_changes: true },
    });
  });

  it('is cancelled once, and the key replays it', async () => {
    const headers = { 'idempotency-key': 'd' };
    const first = await gateway.send('DELETE', `/orders/${ticket}`, undefined, headers);
    expect(first).toMatchObject({ status: 200, body: { ticket, state: 'cancelled', client_order_id: 'd' } });
    expect((await gateway.send('DELETE', `/orders/${ticket}`, undefined, headers)).text).toBe(first.text);
    expect(await gateway.send('DELETE', `/orders/${ticket}`)).toMatchObject({ status: 404 });
    expect(await gateway.rows('/orders')).toEqual([]);
  });
});

describe('checks and calculations for an order', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  it('are answered by the terminal, and nothing is sent', async () => {
    expect((await gateway.post('/order_check', { ...eurusd, type: 'BUY' })).body).toMatchObject({
      ok: true,
      valid: true,
      retcode: 0,
      balance: 10_000,
    });
    expect((await gateway.post('/order_check', { ...eurusd, volume: 90, type: 'BUY' })).body).toMatchObject({
      ok: true,
      valid: false,
      retcode: 10019,
      retcode_name: 'NO_MONEY',
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    // No answer waits for the line of a login.
    await gateway.until(() => gateway.audit().length > 0, 50);
    expect(gateway.audit().map(({ event }) => event)).toEqual(['login']);
    expect((await gateway.post('/order', { ...eurusd, volume: 90, type: 'BUY' })).body).toMatchObject({
      ...{ ok: false, error_type: 'broker_rejected', terminal_error: { retcode: 10019 } },
      error: expect.stringMatching(
        /^the broker rejected the request: NO_MONEY: with it the margin would be 9\d{4}[.\d]*, of an equity of \d+/,
      ),
    });
  });

  it('compute the margin of each side from its own quote', async () => {
    const { bid, ask } = await gateway.quote();
    const margin = async (type: string): Promise<unknown> =>
      (await gateway.post('/order_calc_margin', { ...eurusd, type })).body.margin;
    expect(await margin('BUY')).toBeCloseTo(100 * ask, 1);
    expect(await margin('SELL_LIMIT')).toBeCloseTo(100 * bid, 1);
  });

  it('compute the margin at a given price without the symbol and its quote', async () => {
    const request = { ...eurusd, type: 'BUY' };
    const { margin } = (await gateway.post<{ margin: number }>('/order_calc_margin', request)).body;
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['symbolInfo', 'symbolInfoTick'], code: -1 });
    expect(await gateway.post('/order_calc_margin', { ...request, price: 1.25 })).toMatchObject({
      // The account converts the base currency at its own quote.
      ...{ status: 200, body: { margin: expect.closeTo(margin, 0) } },
    });
    expect(await gateway.post('/order_calc_margin', request)).toMatchObject({ status: 503 });
    gateway.simulator.faults.clear();
    const unknown = { ...request, symbol: 'NOSUCH', price: 1.25 };
    expect(await gateway.post('/order_calc_margin', unknown)).toMatchObject({ status: 404 });
  });

  it('compute the profit between two prices', async () => {
    const body = { ...eurusd, price_open: 1.1, price_close: 1.101 };
    expect((await gateway.post('/order_calc_profit', { ...body, type: 'BUY' })).body).toEqual({ ok: true, profit: 10 });
    expect((await gateway.post('/order_calc_profit', { ...body, type: 'SELL' })).body).toEqual({
      ok: true,
      profit: -10,
    });
  });

  it.each([
    ['/order_calc_margin', { symbol: 'NOSUCH', volume: 1, type: 'BUY' }, 404],
    ['/order_calc_profit', { ...eurusd, type: 'BUY_LIMIT', price_open: 1, price_close: 1 }, 400],
    ['/order_check', { ...eurusd, type: 'BUY', volume: '0.1' }, 400],
    ['/order_check', { ...eurusd, type: 'BUY', volume: 500 }, 422],
  ])('at %s reject invalid parameters', async (path, body, status) => {
    expect(await gateway.post(path, body)).toMatchObject({ status });
  });
});
