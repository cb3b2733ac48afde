import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OrderType, TradeAction, tradeRequest, type OrderSendResult } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { filesWith, Gate } from './testing/held-writes';
import { eurusd, TradingGateway } from './testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('while the audit log cannot be written', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ ORDER_AUDIT_FILE: '/dev/full' });
  });
  afterEach(() => gateway.stop());

  /** An order that another program placed with the broker. */
  async function foreignOrder(fields: Partial<Parameters<typeof tradeRequest>[0]>): Promise<OrderSendResult> {
    const session = gateway.simulator.connect();
    await session.connect();
    const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, ...fields });
    const outcome = await session.orderSend(sealRequest('foreign', request));
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    return outcome.result;
  }

  it('denies new risk before any send, and leaves the key free', async () => {
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 503,
      body: { error_type: 'journal_unavailable' },
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    expect(await gateway.statusOf('k')).toBeNull();
    expect(await gateway.metric('orders_submitted_total')).toBe(0);
    expect(await gateway.metric('trade_refusals_total{error_type="journal_unavailable"}')).toBe(1);
  });

  it('still closes and cancels', async () => {
    const opened = await foreignOrder({ type: OrderType.BUY });
    const { bid } = await gateway.quote();
    const price = Math.round((bid - 0.01) * 1e5) / 1e5;
    const pending = await foreignOrder({
      action: TradeAction.PENDING,
      type: OrderType.BUY_LIMIT,
      price,
      type_filling: 2,
    });
    expect(await gateway.post('/modify_sl_tp', { position: opened.order, sl: 0.9 })).toMatchObject({ status: 503 });
    expect(await gateway.post('/close_position', { position: opened.order })).toMatchObject({ status: 200 });
    expect(await gateway.send('DELETE', `/orders/${pending.order}`)).toMatchObject({ status: 200 });
  });

  it('flattens', async () => {
    await foreignOrder({ type: OrderType.SELL });
    expect((await gateway.post('/kill?flatten=true')).body).toMatchObject({
      flatten: { complete: true, closed: [{}] },
    });
  });
});

describe('an audit log that does not take the line of an intent', () => {
  it('keeps the order from being sent, and has both lines once it takes them', async () => {
    const log = new Gate();
    const gateway = await TradingGateway.start({}, filesWith(log, '"intent"'));
    log.hold();
    const pending = gateway.post('/order', order, 'k');
    await gateway.until(() => log.held > 0);
    log.fail(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    expect(await pending).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    expect(await gateway.statusOf('k')).toBeNull();
    expect(gateway.audit().slice(-2)).toMatchObject([
      { event: 'intent', client_order_id: 'k' },
      { event: 'refused', error_type: 'journal_unavailable', client_order_id: 'k' },
    ]);
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
    await gateway.stop();
  });
});

describe('a kill switch that is engaged while an order is being checked', () => {
  it('is seen before the send, and the key stays free', async () => {
    const gateway = await TradingGateway.start();
    gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    const pending = gateway.post('/order', order, 'k');
    // After the guard, before the first read completes.
    let turns = 0;
    await gateway.until(() => ++turns > 40, 10);
    writeFileSync(join(gateway.folder, 'kill-switch'), '');
    expect(await gateway.waitFor(pending)).toMatchObject({ status: 423, body: { error_type: 'kill_switch_active' } });
    gateway.simulator.faults.clear();
    expect(await gateway.waitFor(gateway.rows('/get_positions'))).toEqual([]);
    expect(await gateway.statusOf('k')).toBeNull();
    expect(gateway.audit().slice(-2)).toMatchObject([
      { event: 'intent' },
      { event: 'refused', error_type: 'kill_switch_active', client_order_id: 'k' },
    ]);
    await gateway.waitFor(gateway.stop());
  });
});
