import { OrderType, TradeAction } from '@libs/terminal-client';
import { TradingGateway, eurusd } from '../trade-journal/testing/trading-gateway';

describe('the limits of the operator on a running gateway', () => {
  let gateway: TradingGateway;
  afterEach(() => gateway.stop());

  const intents = () => gateway.audit().filter(({ event }) => event === 'intent');

  it('lower the default deviation of orders and closes', async () => {
    gateway = await TradingGateway.start({ MAX_ORDER_DEVIATION: '10' });
    const ticket = await gateway.buy();
    expect(await gateway.post('/order_check', { ...eurusd, type: 'BUY' })).toMatchObject({ status: 200 });
    expect(await gateway.post('/position_close_partial', { ticket, volume: 0.05 })).toMatchObject({ status: 200 });
    expect(await gateway.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
    await gateway.buy();
    expect(await gateway.post('/close_all_positions')).toMatchObject({ status: 200 });
    expect(intents().map(({ deviation }) => deviation)).toEqual([10, 10, 10, 10, 10]);
  });

  it.each(['MAX_ORDER_VOLUME', 'MAX_OPEN_VOLUME', 'MAX_OPEN_VOLUME_PER_SYMBOL', 'MAX_PRICE_DEVIATION_PCT'])(
    'permit no entry with %s=0, which is not the same as no limit, and every exit',
    async (setting) => {
      gateway = await TradingGateway.start({ [setting]: '0' });
      const { bid } = await gateway.quote();
      const pending = { ...eurusd, type: 'BUY_LIMIT', price: bid - 0.01 };
      expect(await gateway.post('/order', pending)).toMatchObject({ status: 422, body: { details: { setting } } });
      const { order: position } = await gateway.byHand({
        ...{ symbol: 'EURUSD', volume: 0.1, action: TradeAction.DEAL, type: OrderType.BUY },
      });
      expect(await gateway.post('/close_position', { position })).toMatchObject({ status: 200 });
    },
  );

  it('leave the default deviation at 20 points if more is allowed', async () => {
    gateway = await TradingGateway.start();
    await gateway.buy();
    expect(intents()).toMatchObject([{ deviation: 20 }]);
  });

  it('still reject a deviation that was requested', async () => {
    gateway = await TradingGateway.start({ MAX_ORDER_DEVIATION: '10' });
    expect(await gateway.post('/order', { ...eurusd, type: 'BUY', deviation: 11 })).toMatchObject({
      status: 422,
      body: { error_type: 'order_deviation_exceeded', details: { limit: 10, value: 11 } },
    });
  });

  it('reject changes of a pending order of an unlisted symbol, and allow its cancellation', async () => {
    gateway = await TradingGateway.start({ SYMBOL_WHITELIST: 'GBPUSD' });
    const { bid } = await gateway.quote();
    const buy = { symbol: 'EURUSD', volume: 0.1 };
    const { order: position } = await gateway.byHand({ ...buy, action: TradeAction.DEAL, type: OrderType.BUY });
    const { order } = await gateway.byHand({
      ...{ ...buy, action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price: bid - 0.01 },
    });
    expect(await gateway.send('PUT', `/orders/${order}`, { price: 1.0 })).toMatchObject({
      status: 422,
      body: { error_type: 'symbol_not_allowed', details: { value: 'EURUSD', setting: 'SYMBOL_WHITELIST' } },
    });
    expect(await gateway.post('/modify_sl_tp', { position, sl: 0.8 })).toMatchObject({ status: 200 });
    expect(await gateway.post('/close_position', { position })).toMatchObject({ status: 200 });
    expect(await gateway.send('DELETE', `/orders/${order}`)).toMatchObject({ status: 200 });
  });

  it('snap a volume within 1e-9 of the grid to the grid', async () => {
    gateway = await TradingGateway.start({ MAX_ORDER_VOLUME: '0.3' });
    expect(0.1 + 0.2).not.toBe(0.3);
    const ticket = await gateway.buy({ volume: 0.1 + 0.2 });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.3 }]);
    const part = await gateway.post('/position_close_partial', { ticket, volume: 0.3 - 0.1 });
    expect(part).toMatchObject({ status: 200, body: { closed_volume: 0.2, remaining_volume: 0.1 } });
    expect(intents().map(({ volume_requested }) => volume_requested)).toEqual([0.3, 0.2]);
    const whole = await gateway.post('/close_position', { position: { ticket, volume: 0.1000000001 } });
    expect(whole).toMatchObject({ status: 200, body: { state: 'closed' } });
    for (const volume of [0.100000002, 0.015, 0.31]) {
      expect((await gateway.post('/order', { ...eurusd, type: 'BUY', volume })).status).toBeGreaterThanOrEqual(400);
    }
  });
});
