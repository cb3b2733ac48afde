import fastify, { type FastifyInstance } from 'fastify';
import { renderOnce } from './rendered-once';

describe('a page that differs only by its host', () => {
  let app: FastifyInstance;
  let rendered = 0;

  beforeEach(async () => {
    rendered = 0;
    app = fastify();
    renderOnce(app, { urls: ['/page'], placeholder: 'http://host.invalid', serverUrl: ({ host }) => `http://${host}` });
    const page = (): string => `{"count":${++rendered},"url":"http://host.invalid"}`;
    app.get('/page', async (_request, reply) => reply.type('application/json').send(page()));
    app.get('/other', async () => page());
    await app.ready();
  });
  afterEach(() => app.close());

  const get = (host: string, headers = {}) => app.inject({ url: '/page', headers: { host, ...headers } });

  it('is rendered once, with the host of each request in it', async () => {
    expect((await get('a.example')).json()).toEqual({ count: 1, url: 'http://a.example' });
    expect((await get('b.example')).json()).toEqual({ count: 1, url: 'http://b.example' });
    expect((await get('a.example')).headers['content-type']).toContain('application/json');
    expect(rendered).toBe(1);
  });

  it('is answered with 304 to a client that has it', async () => {
    const etag = String((await get('a.example')).headers.etag);
    expect((await get('a.example')).headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
    const again = await get('a.example', { 'if-none-match': `"other", ${etag}` });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect((await get('a.example', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('does not affect other pages', async () => {
    await app.inject('/other');
    expect((await app.inject('/other')).json()).toEqual({ count: 2, url: 'http://host.invalid' });
  });

  it('returns its length for HEAD', async () => {
    const { headers, body } = await get('a.example');
    const head = await app.inject({ method: 'HEAD', url: '/page', headers: { host: 'a.example' } });
    expect([head.headers['content-length'], head.headers.etag]).toEqual([String(body.length), headers.etag]);
  });
});
