import { idempotencyKeyOf, type KeyedRequest } from './idempotency-key';

/** A request of Node: only `rawHeaders` keeps repeated headers separate, in their original letter case. */
const request = (header: string | readonly string[] | undefined, body?: unknown): KeyedRequest => {
  const values = header === undefined ? [] : [header].flat();
  const rawHeaders = [
    'Host',
    'x',
    ...values.flatMap((value, index) => [index % 2 ? 'IDEMPOTENCY-KEY' : 'Idempotency-Key', value]),
  ];
  return { raw: { rawHeaders }, body };
};

describe('the idempotency key', () => {
  it.each([
    ['comes from the header', 'key-1', {}, 'key-1'],
    ['comes from the body', undefined, { client_order_id: 'key-2' }, 'key-2'],
    ['may be given twice, equally', 'key-3', { client_order_id: 'key-3' }, 'key-3'],
    ['may be in two headers, equally', ['key-4', 'key-4'], { client_order_id: 'key-4' }, 'key-4'],
    ['may have a comma', 'a, b', {}, 'a, b'],
    ['may begin with dots', '...', {}, '...'],
    ['may be absent', undefined, { client_order_id: null }, null],
    ['is not searched in a body that is not an object', undefined, 'text', null],
  ])('%s', (_case, header, body, expected) => {
    expect(idempotencyKeyOf(request(header, body))).toBe(expected);
  });

  it.each([
    ['an empty header', '', {}],
    ['a header too long', 'x'.repeat(129), {}],
    ['a header outside ASCII', 'schlüssel', {}],
    ['a number in the body', undefined, { client_order_id: 7 }],
    ['two different headers', ['a', 'b'], {}],
    ['two headers of which one is empty', ['a', ''], {}],
    ['spaces in the body', undefined, { client_order_id: '   ' }],
    ['a dot, which a URL cannot carry as a part of its path', '.', {}],
    ['two dots in the body', undefined, { client_order_id: '..' }],
    ['two different keys', 'a', { client_order_id: 'b' }],
  ])('is rejected as %s', (_case, header, body) => {
    expect(() => idempotencyKeyOf(request(header, body))).toThrow(/Idempotency-Key|client_order_id/);
  });
});
