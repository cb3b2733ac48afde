import { connect } from 'node:net';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { ProbeListener } from './probe-listener';

describe('the probe port', () => {
  let gateway: GatewayUnderTest;
  let port: number;
  beforeAll(async () => {
    gateway = await gatewayUnderTest({ env: { TERMINAL_PROBE_PORT: '0' } });
    port = (await gateway.app.get(ProbeListener, { strict: false }).listen()) ?? 0;
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };

  it('reports ready without a key, and nothing else', async () => {
    const answer = await ask('/ready');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { ok: true, status: 'ready' }]);
    expect(JSON.parse((await ask('/live?x=1')).text)).toEqual({ ok: true, status: 'alive' });
    expect(await ask('/ready', 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('reports not ready without a reason', async () => {
    await gateway.call({ method: 'POST', url: '/kill' });
    const { status, text, headers } = await ask('/ready');
    expect([status, JSON.parse(text)]).toEqual([
      503,
      {
        ok: false,
        error: 'not ready',
        error_type: 'not_ready',
        status: 'not_ready',
        request_id: headers.get('x-request-id'),
      },
    ]);
    expect((await ask('/live')).status).toBe(200);
    await gateway.call({ method: 'POST', url: '/kill/release' });
    expect((await ask('/ready')).status).toBe(200);
  });

  it.each([
    ['/', 'GET', 404, 'not_found'],
    ['/health', 'GET', 404, 'not_found'],
    ['/ready/', 'GET', 404, 'not_found'],
    ['/kill', 'POST', 404, 'not_found'],
    ['/order', 'POST', 404, 'not_found'],
    ['/ready', 'POST', 405, 'method_not_allowed'],
  ])('answers %s by %s with %i', async (path, method, status, errorType) => {
    const answer = await ask(path, method);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      expect.objectContaining({ ok: false, error_type: errorType }),
    ]);
  });

  it('answers invalid HTTP in the envelope', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.end('GARBAGE\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*"error_type":"validation_error"/);
  });

  it('is closed unless it is set', async () => {
    const other = await gatewayUnderTest();
    expect(await other.app.get(ProbeListener, { strict: false }).listen()).toBeNull();
    await other.stop();
    removeFolder(other.folder);
  });
});
