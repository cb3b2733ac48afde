import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-route-facts'?: { access: string } }>>>>;
}

/** Every operation of the gateway's own document, as something that can be called. */
async function operationsOf(gateway: GatewayProgram): Promise<{ method: string; path: string }[]> {
  const { text } = await gateway.call('/apidocs/openapi.json', { key: null });
  const { paths } = JSON.parse(text) as OpenApi;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, '1'),
    })),
  );
}

/** The operations that answer something other than 401 to this key. */
async function openTo(gateway: GatewayProgram, key: string | null): Promise<string[]> {
  const open: string[] = [];
  for (const { method, path } of await operationsOf(gateway)) {
    const body = method === 'GET' ? undefined : {};
    const { status, headers, body: answer } = await gateway.call(path, { method, body, key });
    if (status !== 401) {
      open.push(`${method} ${path}`);
      continue;
    }
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer).toMatchObject({ ok: false, error_type: 'authentication_error' });
    expect(answer.request_id).toBe(headers.get('x-request-id'));
  }
  return open;
}

describe('the bearer key, on every route of the API document', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  beforeAll(async () => void (gateway = await GatewayProgram.startReady(scratch)));
  afterAll(() => scratch.clear());

  it.each([
    ['no key', null],
    ['a wrong key', 'e2e-kez'],
    ['the beginning of the key', 'e2e'],
    ['the key with more behind it', 'e2e-key2'],
  ])('with %s nothing but the liveness probe answers', async (_, key) => {
    expect((await operationsOf(gateway)).length).toBeGreaterThanOrEqual(16);
    expect(await openTo(gateway, key)).toEqual(['GET /health/live']);
  });

  it('without API_KEY everything protected stays shut, whatever is presented', async () => {
    const keyless = await GatewayProgram.start(scratch, { API_KEY: undefined });
    for (const key of [null, '', 'undefined', 'anything']) {
      expect(await openTo(keyless, key)).toEqual(['GET /health/live']);
    }
  });

  it('wants the scheme Bearer, in any case, and not another one', async () => {
    const statusWith = async (authorization: string): Promise<number> =>
      (await gateway.call('/account', { key: null, headers: { authorization } })).status;
    expect(await statusWith('bearer e2e-key')).toBe(200);
    expect(await statusWith('Basic e2e-key')).toBe(401);
    expect(await statusWith('e2e-key')).toBe(401);
  });

  it('leaves the docs page, its assets and its document readable', async () => {
    for (const path of [
      '/apidocs',
      '/apidocs/openapi.json',
      '/apidocs/swagger-ui-bundle.js',
      '/apidocs/swagger-ui.css',
    ]) {
      expect((await gateway.call(path, { key: null })).status).toBe(200);
    }
  });
});
