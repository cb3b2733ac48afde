import { fingerprintOf } from './fingerprint';

describe('the fingerprint that tells requests of one key apart', () => {
  const body = { symbol: 'EURUSD', volume: 0.1, position: { ticket: 5, symbol: 'EURUSD' }, list: [{ a: 1, b: 2 }] };
  const of = (changed: object, method = 'POST', path = '/order'): string => fingerprintOf(method, path, changed);

  it('is the same for members in another order, at any depth, and does not have the key itself', () => {
    const { symbol, volume } = body;
    const turned = { list: [{ b: 2, a: 1 }], position: { symbol: 'EURUSD', ticket: 5 }, volume, symbol };
    expect(of(turned)).toBe(of(body));
    expect(of({ ...body, client_order_id: 'k' })).toBe(of(body));
    expect(of({})).toBe(fingerprintOf('POST', '/order', undefined));
  });

  it.each([
    ['a value', of({ ...body, volume: 0.2 })],
    ['a value of another type', of({ ...body, volume: '0.1' })],
    ['a member of a member', of({ ...body, position: { ticket: 6, symbol: 'EURUSD' } })],
    ['a member that is null', of({ ...body, sl: null })],
    ['the method', of(body, 'PUT')],
    ['the path', of(body, 'POST', '/orders/1')],
  ])('is another one for %s', (_what, other) => {
    expect(other).not.toBe(of(body));
  });
});
