import type { FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from './idempotency-key';

const request = (header: string | undefined, body?: unknown): FastifyRequest =>
  ({ headers: header === undefined ? {} : { 'idempotency-key': header }, body }) as FastifyRequest;

describe('the idempotency key', () => {
  it.each([
    ['comes from the header', 'key-1', {}, 'key-1'],
    ['comes from the body', undefined, { client_order_id: 'key-2' }, 'key-2'],
    ['may be given twice, equally', 'key-3', { client_order_id: 'key-3' }, 'key-3'],
    ['may be absent', undefined, { client_order_id: null }, null],
    ['is not looked for in a body that is no object', undefined, 'text', null],
  ])('%s', (_case, header, body, expected) => {
    expect(idempotencyKeyOf(request(header, body))).toBe(expected);
  });

  it.each([
    ['an empty header', '', {}],
    ['a header too long', 'x'.repeat(129), {}],
    ['a header outside ASCII', 'schlüssel', {}],
    ['a number in the body', undefined, { client_order_id: 7 }],
    ['two different keys', 'a', { client_order_id: 'b' }],
  ])('is refused as %s', (_case, header, body) => {
    expect(() => idempotencyKeyOf(request(header, body))).toThrow(/Idempotency-Key|client_order_id/);
  });
});
