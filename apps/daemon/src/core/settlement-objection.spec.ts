import { OrderType, TradeReason } from '@libs/trade-constants';
import type { IntentRecord } from './records';
import { objectionToOrder, objectionToStatement, type SettledOrder } from './settlement-objection';

const entry: IntentRecord = {
  ...{ key: 'k1', strategy: 'ema', broker: 'demo', intentId: 'i1', stream: 'eur', symbol: 'EURUSD', ticket: null },
  call: { method: 'POST', path: '/order', body: { symbol: 'EURUSD', magic: 7, type: 'SELL_LIMIT', volume: 0.3 } },
  ...{ isEntry: true, createdAtMs: 0, state: 'open', outcome: null },
};
const acting = (path: '/close_position' | '/modify_sl_tp'): IntentRecord => ({
  ...entry,
  ...{ ticket: 9, isEntry: false, call: { method: 'POST', path, body: { position: { ticket: 9 } } } },
});
const close = acting('/close_position');
const row: SettledOrder = {
  ...{ symbol: 'EURUSD', magic: 7, type: OrderType.SELL_LIMIT, volume_initial: 0.3, reason: TradeReason.EXPERT },
  ...{ position_id: 9, client_order_id: null },
};
const free = { hasGateway: true, isOfAnother: false };

describe('the statement of the operator that a request became an order', () => {
  it('is accepted for an entry with the symbol, magic, type and volume of the order', () => {
    expect(objectionToStatement(entry, 5, free)).toBeNull();
    expect(objectionToOrder(entry, 5, row)).toBeNull();
    expect(objectionToOrder(entry, 5, { ...row, position_id: 1, client_order_id: 'k1' })).toBeNull();
  });

  it('is accepted for a close by the position of the order alone', () => {
    expect(objectionToStatement(close, 5, free)).toBeNull();
    const other = { symbol: 'X', magic: 0, type: OrderType.BUY, volume_initial: 1, reason: TradeReason.CLIENT };
    expect(objectionToOrder(close, 5, { ...row, ...other })).toBeNull();
    expect(objectionToOrder(close, 5, { ...row, position_id: 8 })).toBe('order 5 does not act on position 9');
  });

  it.each<[string, Partial<SettledOrder>]>([
    ['symbol', { symbol: 'GBPUSD' }],
    ['magic', { magic: 8 }],
    ['side', { type: OrderType.BUY_LIMIT }],
    ['kind', { type: OrderType.SELL }],
    ['volume', { volume_initial: 0.2 }],
    ['origin', { reason: TradeReason.CLIENT }],
  ])('is rejected for an entry with another %s', (_what, changes) => {
    const objection = "order 5 does not match the request's symbol, magic, side and volume";
    expect(objectionToOrder(entry, 5, { ...row, ...changes })).toBe(objection);
  });

  it.each([entry, close])('is rejected if the broker has no such order, or one of another key', (intent) => {
    expect(objectionToOrder(intent, 5, null)).toBe('the broker has no order 5');
    expect(objectionToOrder(intent, 5, { ...row, client_order_id: 'k2' })).toBe('order 5 came from request k2');
  });

  it('is rejected without a read for a request that creates no order, without its gateway, and for a known order', () => {
    expect(objectionToStatement(acting('/modify_sl_tp'), 5, free)).toMatch(/^the request creates no order/);
    expect(objectionToStatement(entry, 5, { ...free, hasGateway: false })).toBe('gateway demo is not configured');
    expect(objectionToStatement(close, 5, { ...free, isOfAnother: true })).toBe('order 5 came from another request');
  });
});
