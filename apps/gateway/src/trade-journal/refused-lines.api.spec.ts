import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TradingGateway, eurusd, type AuditLine, type Json } from './testing/trading-gateway';

describe('a refused line of the audit log', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ MAX_ORDER_VOLUME: '100' });
  });
  afterEach(() => gateway.stop());

  const lastRefused = (): AuditLine => {
    const line = gateway.audit().findLast(({ event }) => event === 'refused');
    if (!line) throw new Error('the audit log has no refused line');
    return line;
  };
  const full: Json = {
    ...{ symbol: 'EURUSD', volume: 101, type: 'sell_limit', price: 1.3, sl: 1.4, tp: 1.2 },
    ...{ deviation: 5, magic: 7, comment: 'too much' },
  };

  it('states what was requested, and the limit with its value', async () => {
    expect(await gateway.post('/order', full, 'k')).toMatchObject({ status: 422 });
    expect(lastRefused()).toMatchObject({
      ...{ client_order_id: 'k', route: 'POST /order', error_type: 'volume_limit_exceeded', intent_id: null },
      ...{ symbol: 'EURUSD', side: 'sell', order_type: 'SELL_LIMIT', volume_requested: 101, price_requested: 1.3 },
      ...{ sl: 1.4, tp: 1.2, deviation: 5, magic: 7, comment: 'too much' },
      ...{ setting: 'MAX_ORDER_VOLUME', limit: 100, value: 101 },
    });
  });

  it('states it for a request that the kill switch blocks, and for a key with other parameters', async () => {
    const order = { ...eurusd, type: 'BUY', magic: 9 };
    await gateway.post('/order', order, 'k');
    await gateway.post('/order', { ...order, volume: 0.2 }, 'k');
    expect(lastRefused()).toMatchObject({
      error_type: 'idempotency_conflict',
      symbol: 'EURUSD',
      volume_requested: 0.2,
    });
    writeFileSync(join(gateway.folder, 'kill-switch'), '');
    await gateway.post('/order', order, 'halted');
    expect(lastRefused()).toMatchObject({ error_type: 'kill_switch_active', side: 'buy', magic: 9, limit: null });
  });

  it('names the position or order of a refused change', async () => {
    await gateway.post('/close_position', { position: { ticket: 77, volume: 0.4 } });
    expect(lastRefused()).toMatchObject({ error_type: 'not_found', position: 77, volume_requested: 0.4 });
    await gateway.post('/modify_sl_tp', { position: 78, sl: 1.1 });
    expect(lastRefused()).toMatchObject({ position: 78, sl: 1.1, side: null });
    await gateway.post('/position_close_partial', { ticket: 79, volume: 0.1 });
    expect(lastRefused()).toMatchObject({ position: 79, volume_requested: 0.1 });
    await gateway.send('PUT', '/orders/80', { price: 1.2 });
    expect(lastRefused()).toMatchObject({ ticket: 80, price_requested: 1.2 });
    await gateway.send('DELETE', '/orders/81');
    expect(lastRefused()).toMatchObject({ ticket: 81, position: null });
  });

  it('sanitizes the request: wrong types become null, and texts are short and printable', async () => {
    await gateway.post('/order', {
      ...{ symbol: `EUR\nUSD${'x'.repeat(1_000)}`, volume: '0.1', type: ['BUY'], price: {}, sl: true, magic: '7' },
      ...{ tp: null, deviation: -3, comment: 'ä'.repeat(500), type_filling: 'FOK' },
    });
    const { symbol, comment, ...line } = lastRefused();
    expect(line).toMatchObject({
      ...{ error_type: 'validation_error', volume_requested: null, order_type: null, side: null },
      ...{ price_requested: null, sl: null, tp: null, magic: null, deviation: -3 },
    });
    expect(symbol).toBe(`EUR?USD${'x'.repeat(57)}`);
    expect(comment).toBe('?'.repeat(31));
    await gateway.post('/order', { ...eurusd, type: 'HOLD' });
    expect(lastRefused()).toMatchObject({ order_type: 'HOLD', side: null });
    expect(JSON.stringify(lastRefused()).length).toBeLessThan(2_000);
  });
});
