import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';

const key = `Authorization: Bearer ${testKey}\r\n`;
const unfinishedBody =
  'POST /order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{';

describe('connections of the gateway', () => {
  let gateway: GatewayUnderTest;
  let port: number;

  beforeEach(async () => {
    gateway = await gatewayUnderTest();
    await gateway.app.listen(0, '127.0.0.1');
    port = Number(new URL(await gateway.app.getUrl()).port);
  });
  afterEach(() => removeFolder(gateway.folder));

  const opened = async (bytes = ''): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return socket;
  };
  /** Everything that arrives until the gateway ends the connection. */
  const everything = async (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    // Not `once`, which treats a reset as a failure.
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  };

  it.each([
    ['that never sends anything', ''],
    ['with an unfinished head', 'POST /order HTTP/1.1\r\nHo'],
    ['with an unfinished body', unfinishedBody],
    ['with an unfinished body of a read', `GET /account HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 600\r\n\r\n{`],
  ])('one %s does not delay the shutdown', async (_case, bytes) => {
    const ended = everything(await opened(bytes));
    // The gateway has read the bytes before it is stopped.
    expect((await gateway.call('/account')).statusCode).toBe(200);
    await gateway.stop();
    await ended;
  });

  it('a request in a handler is answered at shutdown', async () => {
    const order = '{"symbol":"EURUSD","volume":0.1,"type":"BUY"}';
    const head = `POST /order HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: ${order.length}\r\n\r\n`;
    const socket = await opened(head + order);
    const answer = everything(socket);
    await once(gateway.app.getHttpServer(), 'request');
    await gateway.stop();
    // An entry that was not sent yet is refused, and any other one is answered.
    expect(await answer).toMatch(/^HTTP\/1\.1 (200 OK|503 Service Unavailable)[^]*("ok":true|the gateway is stopping)/);
  });

  it('a burst of pipelined requests without the key is cut off, and at most partly answered', async () => {
    const socket = await opened('GET /apidocs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_300));
    const answers = (await everything(socket)).split('HTTP/1.1 200 OK').length - 1;
    expect(answers).toBeLessThan(33);
    await gateway.stop();
  });

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400, 'validation_error'],
    [
      'a head of 20 KB',
      `GET /account HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', 400, 'validation_error'],
    ['two Hosts', 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'validation_error'],
    ['an expectation', 'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', 400, 'validation_error'],
    ['an unknown method', 'BREW /account HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    [
      'the method QUERY',
      `QUERY /account HTTP/1.1\r\nHost: x\r\n${key}Connection: close\r\n\r\n`,
      405,
      'method_not_allowed',
    ],
    ['TRACE', `TRACE /account HTTP/1.1\r\nHost: x\r\n${key}Connection: close\r\n\r\n`, 405, 'method_not_allowed'],
    ['CONNECT to a path', 'CONNECT /account HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405, 'method_not_allowed'],
    ['a bad escape', 'GET /x/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, 'validation_error'],
  ])('%s is answered in the envelope', async (_case, bytes, status, errorType) => {
    const text = await everything(await opened(bytes));
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const envelope = JSON.parse(body) as { request_id: string; error: string };
    expect(envelope).toMatchObject({ ok: false, error_type: errorType });
    const said = status === 405 ? /is not allowed (here; allowed: \w|on any path)/ : /\w/;
    expect(envelope.error).toMatch(said);
    expect(head.toLowerCase()).toContain(`x-request-id: ${envelope.request_id}`);
    await gateway.stop();
  });
});
