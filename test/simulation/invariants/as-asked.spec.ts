import { OrderTime, OrderType, TradeAction } from '@libs/terminal-client';
import { send } from '../testing/sample';
import { hasExpiration, otherThanAsked } from './as-asked';

describe('an order is as it was asked for', () => {
  const hourS = 3_600;
  /** A server whose clock is two hours ahead. */
  const serverSeconds = (utcMs: number): number => utcMs / 1_000 + 2 * hourS;
  const market = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, sl: 1.1 };
  const pending = { ...market, type: 'BUY_LIMIT', price: 1.2 };
  const asked = (body: object, expiresMs?: number) => [
    { request: { method: 'POST', url: '/order', body }, ...(expiresMs === undefined ? {} : { expiresMs }) } as const,
  ];
  const resting = {
    ...{ action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, sl: 1.1, price: 1.2 },
    ...{ type_time: OrderTime.SPECIFIED, expiration: 100 + 2 * hourS },
  };

  it('when it has the symbol, the side, the volume, the price and the levels', () => {
    expect(otherThanAsked(send({ request: { sl: 1.1 } }), asked(market), serverSeconds)).toEqual([]);
    expect(otherThanAsked(send({ request: resting }), asked(pending, 100_000), serverSeconds)).toEqual([]);
  });

  it.each([
    ['symbol', { symbol: 'USDJPY' }],
    ['side', { type: OrderType.SELL_LIMIT }],
    ['volume', { volume: 0.2 }],
    ['price', { price: 1.3 }],
    ['stop-loss', { sl: 0 }],
    ['take-profit', { tp: 1.4 }],
    ['expiration', { expiration: 100 }],
    ['kind of expiration', { type_time: OrderTime.GTC, expiration: 0 }],
  ])('fails for another %s', (_name, change) => {
    const sent = send({ request: { ...resting, ...change } });
    expect(otherThanAsked(sent, asked(pending, 100_000), serverSeconds)).toHaveLength(1);
  });

  it('when one of the requests under its marks asks for it', () => {
    const bodies = [...asked({ ...market, volume: 0.2 }), ...asked(market)];
    expect(otherThanAsked(send({ request: { sl: 1.1 } }), bodies, serverSeconds)).toEqual([]);
    expect(otherThanAsked(send({ request: { sl: 1.2 } }), bodies, serverSeconds)).toHaveLength(1);
  });

  it('and an exit is none, nor is what no client asked for', () => {
    expect(otherThanAsked(send({ request: { position: 5 } }), asked(market), serverSeconds)).toEqual([]);
    expect(otherThanAsked(send(), [], serverSeconds)).toEqual([]);
  });

  it('and stays until it is cancelled where nothing else was asked for', () => {
    expect(hasExpiration({ type_time: OrderTime.GTC, expiration: 0 }, undefined, serverSeconds)).toBe(true);
    expect(hasExpiration({ type_time: OrderTime.DAY, expiration: 0 }, undefined, serverSeconds)).toBe(false);
  });
});
