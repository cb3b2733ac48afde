import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from './testing/gateway-under-test';

const browser = { accept: 'text/html,application/xhtml+xml' };

describe('the pages of a gateway', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await gatewayUnderTest();
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });
  const get = (url: string, headers = {}) => gateway.app.inject({ url, headers });

  it('lead a browser from the root to the console and the documentation', async () => {
    const { statusCode, headers, body } = await get('/', browser);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const link of ['href="console"', 'href="apidocs"']) expect(body).toContain(link);
  });

  it('are none for a program: the root stays an unknown route', async () => {
    const { statusCode, json } = await get('/');
    expect([statusCode, json()]).toMatchObject([404, { ok: false, error_type: 'not_found', error: 'no route GET /' }]);
  });

  it.each(['/', '/apidocs', '/apidocs/swagger-ui-init.js', '/apidocs/openapi.json'])(
    'are in no frame, and run only their own scripts: %s',
    async (url) => {
      const { statusCode, headers } = await get(url, browser);
      const policy = String(headers['content-security-policy']);
      expect(statusCode).toBe(200);
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'"]) expect(policy).toContain(rule);
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
    },
  );

  it('have no script in the text of the documentation, which its policy would stop', async () => {
    const { body } = await get('/apidocs');
    expect(body.match(/<script(?![^>]*\ssrc=)[^>]*>\s*[^<\s]/g)).toBeNull();
  });

  it('accept a final slash', async () => {
    expect((await get('/apidocs/', browser)).statusCode).toBe(200);
  });
});
