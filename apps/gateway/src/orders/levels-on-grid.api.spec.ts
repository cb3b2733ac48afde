import { TradingGateway, eurusd } from '../trade-journal/testing/trading-gateway';

/** A price above 0 that is nearer to 0 than to the first tick of any symbol. */
const tooSmall = 0.000001;

describe('a level above 0 that rounds to 0 on the price grid', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  const refused = (field: string) => ({
    status: 400,
    body: { error_type: 'validation_error', details: [{ field, value: tooSmall }] },
  });

  it.each(['sl', 'tp'])('is a 400 in a new order: %s', async (level) => {
    const order = { ...eurusd, type: 'BUY', [level]: tooSmall };
    expect(await gateway.post('/order', order)).toMatchObject(refused(level));
    expect(await gateway.post('/order_check', order)).toMatchObject(refused(level));
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it.each([
    ['price', { type: 'BUY_LIMIT', price: tooSmall }],
    ['stoplimit', { type: 'BUY_STOP_LIMIT', price: 1.3, stoplimit: tooSmall }],
  ])('is a 400 as the %s of a pending order', async (field, fields) => {
    expect(await gateway.post('/order', { ...eurusd, ...fields })).toMatchObject(refused(field));
  });

  it.each(['sl', 'tp'])('is a 400 in /modify_sl_tp and the position keeps its protection: %s', async (level) => {
    const ticket = await gateway.buy({ sl: 0.8, tp: 1.6 });
    expect(await gateway.post('/modify_sl_tp', { position: ticket, [level]: tooSmall })).toMatchObject(refused(level));
    expect(await gateway.rows('/get_positions')).toMatchObject([{ sl: 0.8, tp: 1.6 }]);
  });

  it.each(['sl', 'tp', 'price'])('is a 400 in PUT /orders and the order stays unchanged: %s', async (field) => {
    const { bid } = await gateway.quote();
    const price = Number((bid - 0.01).toFixed(5));
    const placed = await gateway.post<{ result: { order: number } }>('/order', {
      ...{ ...eurusd, type: 'BUY_LIMIT', price, sl: 0.8, tp: 1.6 },
    });
    const change = await gateway.send('PUT', `/orders/${placed.body.result.order}`, { [field]: tooSmall });
    expect(change).toMatchObject(refused(field));
    expect(await gateway.rows('/orders')).toMatchObject([{ price_open: price, sl: 0.8, tp: 1.6 }]);
  });

  it('is a 400 as the stop-limit price in PUT /orders', async () => {
    const { ask } = await gateway.quote();
    const [price, stoplimit] = [Number((ask + 0.01).toFixed(5)), Number((ask + 0.005).toFixed(5))];
    const placed = await gateway.post<{ result: { order: number } }>('/order', {
      ...{ ...eurusd, type: 'BUY_STOP_LIMIT', price, stoplimit },
    });
    const change = await gateway.send('PUT', `/orders/${placed.body.result.order}`, { stoplimit: tooSmall });
    expect(change).toMatchObject(refused('stoplimit'));
    expect(await gateway.rows('/orders')).toMatchObject([{ price_stoplimit: stoplimit }]);
  });

  it('differs from a null, which means no level in a new order and the current one in a modification', async () => {
    const ticket = await gateway.buy({ sl: null, tp: 1.6 });
    expect(await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.8, tp: null })).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ sl: 0.8, tp: 1.6 }]);
  });
});
