import * as fc from 'fast-check';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { effort } from '../../../../test/setup/effort';

const order = '"symbol":"EURUSD","volume":0.1,"type":"BUY"';

describe('a hostile request', () => {
  let gateway: GatewayUnderTest;
  let port: number;
  beforeAll(async () => {
    gateway = await gatewayUnderTest();
    await gateway.app.listen(0, '127.0.0.1');
    port = Number(new URL(await gateway.app.getUrl()).port);
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const send = (payload: string | Buffer) =>
    gateway.call({ method: 'POST', url: '/order', headers: { 'content-type': 'application/json' }, payload });

  it.each([
    ['a doubled key', `{${order},"volume":50}`, 'volume', 'is given more than once'],
    ['a field that exists on every object', `{${order},"constructor":{}}`, 'constructor', 'unknown field'],
    ['toString', `{${order},"toString":1}`, 'toString', 'unknown field'],
    ['hasOwnProperty', `{${order},"hasOwnProperty":1}`, 'hasOwnProperty', 'unknown field'],
    ['__proto__', `{${order},"__proto__":{}}`, '__proto__', 'field __proto__ is not allowed'],
    ['an endlessly nested body', `{"symbol":${'['.repeat(10_000)}`, 'body', 'is nested more than 32 levels deep'],
    [
      'a deep body',
      `{"symbol":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'body',
      'is nested more than 32 levels deep',
    ],
    ['broken JSON', '{', 'body', 'is not valid JSON at line 1, column 2'],
  ])('with %s is a 400 that names it', async (_case, payload, field, problem) => {
    const answer = await send(payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ ok: false, error_type: 'validation_error', details: [{ field, problem }] });
  });

  it('with invalid UTF-8 is a 400 that states it', async () => {
    const answer = await send(Buffer.concat([Buffer.from(`{${order},"comment":"`), Buffer.from([0xff, 0x22, 0x7d])]));
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'body: is not valid UTF-8']);
  });

  it('with a volume as a text has one problem', async () => {
    const answer = await send('{"symbol":"EURUSD","volume":"0.1","type":"BUY"}');
    expect(answer.json().details).toEqual([{ field: 'volume', problem: expect.stringContaining('must be a number') }]);
  });

  it.each([
    ['broken JSON', 'application/json', '{'],
    ['another media type', 'text/plain', 'x'],
    ['too large a body', 'application/json', JSON.stringify({ comment: 'x'.repeat(70_000) })],
  ])('without the key is a 401 whatever its body is: %s', async (_case, type, payload) => {
    const headers = { 'content-type': type, authorization: 'Bearer wrong' };
    const answer = await gateway.app.inject({ method: 'POST', url: '/order', headers, payload });
    expect([answer.statusCode, answer.json().error_type]).toEqual([401, 'authentication_error']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('placed nothing', async () => {
    expect((await gateway.call('/positions_total')).json()).toMatchObject({ total: 0 });
  });

  it.each([
    ...[
      '/apidocs/../package.json',
      '/apidocs/../x',
      '/apidocs//',
      '/apidocs/%2e%2e/x',
      '/apidocs/a%5cb',
      '/apidocs/a\\b',
    ],
    ...['/apidocs/.git', '/apidocs/nope.js', '/apidocs/json', '/account/', '/health/live/', '//', '/..'],
  ])('for %s is a 404', async (path) => {
    const answer = await raw(port, 'GET', path, '');
    expect([answer.status, JSON.parse(answer.text).error_type]).toEqual([404, 'not_found']);
  });

  it('for a path with a broken escape is a 400 in the envelope, for an endless parameter a 404', async () => {
    for (const url of ['/symbol_info_tick/US30%', '/symbol_info/%zz', '/%ff', '/nowhere/%']) {
      const answer = await gateway.call({ url, headers: { 'x-request-id': 'bad-url' } });
      expect([url, answer.statusCode, answer.headers['x-request-id']]).toEqual([url, 400, 'bad-url']);
      expect(answer.json()).toMatchObject({ ok: false, error_type: 'validation_error', request_id: 'bad-url' });
    }
    const long = await gateway.call(`/symbol_info_tick/${'A'.repeat(600)}`);
    expect([long.statusCode, long.json().error_type]).toEqual([404, 'not_found']);
    expect(long.json().request_id).toBe(long.headers['x-request-id']);
  });

  it('is never answered with 500 or outside the envelope, for any path, query and body', async () => {
    const part = fc.constantFrom(
      ...[
        '/',
        '//',
        '..',
        '.',
        '%2e%2e',
        '%2f',
        '%5c',
        '\\',
        '%',
        '%zz',
        '%00',
        '%ff',
        '%e2%84%aa',
        ';',
        ':',
        '*',
        '?',
        '#',
      ],
      ...[
        'apidocs',
        'order',
        'orders',
        'kill',
        'symbol_info',
        'account',
        'EURUSD',
        'http://x',
        'a'.repeat(600),
        '=',
        '&',
      ],
    );
    const body = fc.oneof(
      fc.json(),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', '__proto__', 'symbol', 'null'))
        .map((all) => all.join('')),
      fc.nat(3_000).map((depth) => '[{"a":'.repeat(depth)),
    );
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST');
    await fc.assert(
      fc.asyncProperty(method, fc.array(part, { maxLength: 6 }), body, async (verb, parts, payload) => {
        const answer = await raw(port, verb, `/${parts.join('')}`, payload);
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400 || verb === 'HEAD') return;
        const envelope = { ok: false, error_type: expect.any(String), request_id: answer.requestId };
        expect(JSON.parse(answer.text)).toMatchObject(envelope);
      }),
      { numRuns: effort(200, 3_000) },
    );
  });
});

/** Sends the path verbatim; clients that parse addresses normalize it. */
function raw(port: number, method: string, path: string, payload: string) {
  return new Promise<{ status: number; requestId: unknown; text: string }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    };
    const call = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      text(response).then((body) => resolve({ status, requestId: answered['x-request-id'], text: body }), reject);
    });
    call.on('error', reject).end(payload);
  });
}
