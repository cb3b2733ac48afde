import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

const origin = 'https://desk.example';

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

describe('a browser on an allowed origin', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await gatewayUnderTest({ env: { CORS_ORIGINS: origin } });
    await gateway.app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const preflight = (url: string, headers: Readonly<Record<string, string>>) =>
    gateway.app.inject({ method: 'OPTIONS', url, headers });

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('may send %s with the headers that the API reads', async (method) => {
    const answer = await preflight('/orders/1', {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,idempotency-key',
    });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, origin]);
    expect(listed(answer.headers['access-control-allow-methods'])).toContain(method.toLowerCase());
    expect(listed(answer.headers['access-control-allow-headers'])).toEqual([
      ...[
        'authorization',
        'content-type',
        'idempotency-key',
        'last-event-id',
        'traceparent',
        'x-expect-login',
        'x-fence',
      ],
      'x-request-id',
    ]);
  });

  it('may send each header that the API documents', async () => {
    const { paths } = (await gateway.app.inject('/apidocs/openapi.json')).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    const parameters = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap((each) => each.parameters ?? []),
    );
    const documented = new Set(parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()));
    expect(documented.size).toBeGreaterThan(2);
    const asked = { origin, 'access-control-request-method': 'POST' };
    const answer = await preflight('/order', asked);
    expect(listed(answer.headers['access-control-allow-headers'])).toEqual(expect.arrayContaining([...documented]));
  });

  it.each([
    ['no requested method', { origin }],
    ['no origin', { 'access-control-request-method': 'GET' }],
  ])('receives an error in the envelope for a preflight with %s', async (_case, headers) => {
    const answer = await fetch(`${await gateway.app.getUrl()}/orders/1`, { method: 'OPTIONS', headers });
    expect([answer.status, answer.headers.get('vary')]).toEqual([400, 'Origin']);
    const request_id = answer.headers.get('x-request-id');
    expect(await answer.json()).toMatchObject({ ok: false, error_type: 'validation_error', request_id });
  });

  it('may read errors that occur before any handler', async () => {
    for (const url of ['/symbol_info_tick/US30%', '/nowhere', `/symbol_info_tick/${'A'.repeat(600)}`, '/account/']) {
      const { headers } = await gateway.call({ url, headers: { origin } });
      expect([url, headers['access-control-allow-origin'], headers.vary]).toEqual([url, origin, 'Origin']);
    }
    const strange = await gateway.call({ url: '/x%', headers: { origin: 'https://evil.example' } });
    expect(strange.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('gets 404 for an unknown path, as without CORS', async () => {
    expect((await gateway.call({ method: 'POST', url: '/nowhere', headers: { origin } })).statusCode).toBe(404);
  });
});

function listed(header: unknown): string[] {
  return String(header)
    .split(/, */)
    .map((item) => item.toLowerCase())
    .sort();
}
