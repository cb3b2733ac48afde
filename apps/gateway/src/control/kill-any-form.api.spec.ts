import { existsSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';

const form = 'application/x-www-form-urlencoded';
const json = 'application/json';
const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

/** A body, its content type, and a query after the path. */
type Form = readonly [name: string, url: string, type: string | undefined, body: string | undefined];

describe('POST /kill in any form', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => (gateway = await gatewayUnderTest()));
  beforeEach(() => rmSync(file(), { force: true }));
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const file = (): string => join(gateway.folder, 'kill-switch');
  const post = (url: string, type?: string, payload?: string, key = testKey) =>
    gateway.app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(payload === undefined ? {} : { payload }),
    });
  const buy = () =>
    gateway.call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' } });

  it.each<Form>([
    ['no body', '/kill', undefined, undefined],
    ['an empty form', '/kill', form, ''],
    ['an empty body of a type without a name', '/kill', '', ''],
    ['a text', '/kill', 'text/plain', 'stop everything'],
    ['XML', '/kill', 'application/xml', '<stop/>'],
    ['an invalid type', '/kill', ';;;', 'stop'],
    ['a body without a type', '/kill', undefined, '{}'],
    ['a form of other fields', '/kill', form, 'reason=panic'],
    ['JSON that is not an object', '/kill', json, '[1, null]'],
    ['JSON with unknown fields', '/kill', json, '{"reason": "panic", "__proto__": {"x": 1}}'],
    ['a trailing slash', '/kill/', undefined, undefined],
    ['a slash and a query', '/kill/?flatten=false', undefined, undefined],
    ['a query that is not well formed', '/kill?x=%zz&&=', undefined, undefined],
    ['flatten that is off', '/kill?flatten=No', undefined, undefined],
    ['the same flatten twice', '/kill?flatten=0&flatten=0', undefined, undefined],
  ])('%s: halts, and answers 200', async (_name, url, type, body) => {
    const response = await post(url, type, body);
    expect(existsSync(file())).toBe(true);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      expect.objectContaining({ ok: true, kill_switch_active: true, flatten: null }),
    ]);
    expect((await buy()).statusCode).toBe(423);
  });

  it.each<Form>([
    ['nonsense', '/kill?flatten=maybe', undefined, undefined],
    ['nothing', '/kill?flatten=', undefined, undefined],
    ['yes and no at once', '/kill?flatten=true&flatten=false', undefined, undefined],
    ['yes in the query and no in the body', '/kill?flatten=true', json, '{"flatten": false}'],
    ['a number in JSON that is neither 0 nor 1', '/kill', json, '{"flatten": 7}'],
    ['a misspelt field of JSON', '/kill', json, '{"flaten": true}'],
    ['a field of JSON in another letter case', '/kill', json, '{"Flatten": true}'],
    ['a misspelt field of a form', '/kill', form, 'flaten=true'],
    ['malformed JSON', '/kill', json, '{'],
    ['JSON that was cut short', '/kill', 'text/plain', '{"flatten": true'],
    ['a multipart form', '/kill', 'multipart/form-data; boundary=x', 'name="flatten"\r\n\r\ntrue'],
    ['a body of 70 KB', '/kill', json, `{"x": "${'x'.repeat(70_000)}", "flatten": true}`],
    ['a body of 70 KB without a type', '/kill', undefined, 'x'.repeat(70_000)],
  ])('flatten as %s: halts, flattens nothing, and reports both in a 400', async (_name, url, type, body) => {
    const response = await post(url, type, body);
    expect(existsSync(file())).toBe(true);
    expect([response.statusCode, response.json()]).toEqual([
      400,
      expect.objectContaining({
        ok: false,
        error_type: 'validation_error',
        error: expect.stringContaining('trading is halted'),
        kill_switch_active: true,
        flatten: null,
      }),
    ]);
  });

  it.each<Form>([
    ['True', '/kill?flatten=True', undefined, undefined],
    ['TRUE', '/kill/?flatten=TRUE', undefined, undefined],
    ['1', '/kill?flatten=1', undefined, undefined],
    ['yes', '/kill?flatten=yes', undefined, undefined],
    ['on', '/kill?flatten=on', undefined, undefined],
    ['the same twice', '/kill?flatten=true&flatten=true', undefined, undefined],
    ['JSON', '/kill', json, '{"flatten": true}'],
    ['JSON with a byte order mark', '/kill', json, '\ufeff{"flatten": true}'],
    ['JSON of another type', '/kill', 'text/plain', '{"flatten": "yes"}'],
    ['JSON number', '/kill', json, '{"flatten": 1}'],
    ['a form', '/kill', form, 'flatten=true'],
    ['a form as curl -d sends it', '/kill', form, 'flatten=True&x=1'],
    ['the query, with an invalid body', '/kill?flatten=true', json, '{'],
    ['the query, with a deeply nested body', '/kill?flatten=true', json, nested],
  ])('flatten as %s: halts and flattens', async (_name, url, type, body) => {
    expect((await buy()).statusCode).toBe(200);
    const response = await post(url, type, body);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      expect.objectContaining({ flatten: expect.objectContaining({ complete: true, closed: [expect.anything()] }) }),
    ]);
    expect((await gateway.call('/positions_total')).json()).toMatchObject({ total: 0 });
  });

  it.each<Form>([
    ['no body', '/kill/release', undefined, undefined],
    ['an empty form', '/kill/release', form, ''],
    ['malformed JSON', '/kill/release', json, '{'],
    ['a body of 70 KB', '/kill/release', 'text/plain', 'x'.repeat(70_000)],
    ['a slash', '/kill/release/', undefined, undefined],
  ])('%s releases too', async (_name, url, type, body) => {
    await post('/kill');
    expect((await post(url, type, body)).json()).toMatchObject({ ok: true, kill_switch_active: false });
    expect(existsSync(file())).toBe(false);
  });

  it('requires the key, and does nothing without it', async () => {
    for (const url of ['/kill', '/kill/', '/kill?flatten=true', '/kill/release']) {
      expect((await post(url, form, '', 'wrong')).json()).toMatchObject({ error_type: 'authentication_error' });
      expect((await post(url, json, '{', 'wrong')).statusCode).toBe(401);
    }
    expect(existsSync(file())).toBe(false);
  });

  it('accepts only POST', async () => {
    const response = await gateway.call('/kill');
    expect(response.statusCode).toBe(405);
    expect(existsSync(file())).toBe(false);
  });

  it('leaves the other routes strict about their bodies', async () => {
    for (const type of [form, 'text/plain', 'application/x-any-form']) {
      const response = await post('/close_all_positions', type, '{}');
      expect([response.statusCode, response.json().error_type]).toEqual([415, 'unsupported_media_type']);
    }
    expect((await post('/order', json, '{')).statusCode).toBe(400);
  });

  describe('through a socket', () => {
    beforeAll(() => gateway.app.listen(0, '127.0.0.1'));

    /** Sends the head of a request and a part of its body, and waits for the halt. @returns whether it came */
    const haltBy = async (target: string): Promise<boolean> => {
      const { port } = gateway.app.getHttpServer().address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}\r\nContent-Length: 600\r\n` +
          `Content-Type: application/json\r\n\r\n{`,
      );
      for (let look = 0; look < 400 && !existsSync(file()); look++)
        await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
      return existsSync(file());
    };

    it('halts before the body arrives', async () => {
      expect(await haltBy('/kill')).toBe(true);
    });

    it.each(['http://other.example/kill', 'http://other.example/kill//', 'HTTPS://other.example/kill/?flatten=no'])(
      'halts by an address as a proxy names it: %s',
      async (target) => {
        expect(await haltBy(target)).toBe(true);
      },
    );
  });
});
