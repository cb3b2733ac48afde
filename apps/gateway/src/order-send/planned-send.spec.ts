import { OrderRefusal } from '@libs/order-drafts';
import { OrderType, TradeAction } from '@libs/terminal-client';
import type { OrderSendRequest } from './order-send.request';
import { plannedSend } from './planned-send';

const entry = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 } as const;
const pending = { action: TradeAction.PENDING, symbol: 'EURUSD', volume: 0.1, price: 1.2, type: 2 } as const;

describe('a request in the terminal form', () => {
  it.each<[string, OrderSendRequest, object]>([
    [
      'buys at market, with what is omitted as the terminal takes it',
      entry,
      {
        kind: 'order',
        order: { type: 'BUY', volume: 0.1, sl: 0, tp: 0, deviation: 0, magic: 0, type_filling: 0 },
        expiration: null,
      },
    ],
    [
      'has no comment if it is empty, so that the key has its tag',
      { ...entry, comment: '' },
      { order: expect.not.objectContaining({ comment: expect.anything() }) },
    ],
    ['ignores the time of a deal', { ...entry, type_time: 2, expiration: 9 }, { kind: 'order', expiration: null }],
    [
      'places a stop-limit order until a time of the server',
      { ...pending, type: 6, stoplimit: 1.19, type_time: 2, expiration: 1_800_000_000 },
      { kind: 'order', order: { type: 'BUY_STOP_LIMIT', price: 1.2, stoplimit: 1.19 }, expiration: 1_800_000_000 },
    ],
    [
      'closes a position in part, by the opposite type',
      { ...entry, type: OrderType.SELL, position: 5, price: 1.1, type_filling: 1 },
      { kind: 'close', order: { ticket: 5, volume: 0.1, type: 0, price: 1.1, filling: 1, symbol: 'EURUSD' } },
    ],
    [
      'removes the level that is 0',
      { action: TradeAction.SLTP, position: 5, sl: 1.1 },
      { kind: 'levels', ticket: 5, symbol: null, change: { sl: 1.1, clear_tp: true } },
    ],
    [
      'makes an order good till cancelled unless a time is given',
      { action: TradeAction.MODIFY, order: 7, price: 1.2, tp: 1.3 },
      { kind: 'modify', ticket: 7, change: { price: 1.2, clear_sl: true, tp: 1.3, clear_expiration: true } },
    ],
    [
      'has an order end with a day of the server',
      { ...pending, type_time: 3, expiration: 1_800_000_000 },
      { order: { timeType: 3 }, expiration: 1_800_000_000 },
    ],
    [
      'changes an order to one of the day',
      { action: TradeAction.MODIFY, order: 7, price: 1.2, type_time: 1 },
      { change: { clear_expiration: true, timeType: 1 }, expiration: null },
    ],
    ['books an order or has it cancelled', { ...pending, type_filling: 3 }, { order: { type_filling: 3 } }],
    ['cancels an order', { action: TradeAction.REMOVE, order: 7 }, { kind: 'cancel', ticket: 7 }],
    [
      'closes a position by another',
      { action: TradeAction.CLOSE_BY, position: 5, position_by: 6 },
      { kind: 'close_by', order: { ticket: 5, oppositeTicket: 6, symbol: null, comment: null } },
    ],
  ])('%s', (_, request, planned) => {
    expect(plannedSend(request)).toMatchObject(planned);
  });

  it.each<[OrderSendRequest, string[]]>([
    [{ action: TradeAction.DEAL, type: 2 }, ['type', 'symbol', 'volume']],
    [{ action: TradeAction.PENDING, type: 0 }, ['type', 'symbol', 'price', 'volume']],
    [{ ...pending, type: 7, type_time: 3 }, ['stoplimit', 'expiration']],
    [{ ...pending, type_time: 2 }, ['expiration']],
    [{ action: TradeAction.SLTP, sl: 1 }, ['position']],
    [{ action: TradeAction.MODIFY, type_time: 3 }, ['order', 'price', 'expiration']],
    [{ action: TradeAction.REMOVE, position: 7 }, ['order']],
    [{ action: TradeAction.CLOSE_BY, order: 7 }, ['position', 'position_by']],
  ])('is refused with every field that cannot be sent: %j', (request, fields) => {
    const refusal = plannedSend(request);
    if (!(refusal instanceof OrderRefusal)) throw new Error('it was planned');
    expect(refusal.errorType).toBe('validation_error');
    expect(refusal.details).toEqual(fields.map((field) => ({ field, problem: expect.any(String) })));
  });
});
