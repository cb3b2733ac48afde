import { type RequestListener } from 'node:http';
import { CORE, HostRig, SERVER } from './host-rig';
import { WebSource } from './web-source';

const json =
  (answer: unknown): RequestListener =>
  (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
const row = (name: string, ...access: string[]) => ({ companyName: 'Acme Ltd', results: [{ name, access }] });

describe('Finding the addresses of a broker server', () => {
  let rig: HostRig;
  const sources: WebSource[] = [];
  beforeEach(() => {
    rig = new HostRig();
    rig.installTerminal({ otherwise: { does: 'nothing' } });
  });
  afterEach(async () => {
    await rig.close();
    for (const source of sources.splice(0)) await source.stop();
  });

  async function resolver(answer: RequestListener): Promise<WebSource> {
    const source = await WebSource.start(answer);
    sources.push(source);
    return source;
  }
  async function candidates(env: Readonly<Record<string, string>>): Promise<string> {
    rig.host({ ...CORE, ...env }).start();
    return String((await rig.logged('login candidates'))['candidates']);
  }

  it('takes TERMINAL_SERVER_ADDR alone, and resolves no name', async () => {
    const source = await resolver(json([row(SERVER, '10.0.0.1:443')]));
    const given = { TERMINAL_SERVER_ADDR: '203.0.113.7:443', TERMINAL_RESOLVER_URL: source.url };
    expect(await candidates(given)).toBe('203.0.113.7:443');
    await rig.until('the launch', () => rig.launches().length === 1);
    expect(rig.launches()[0]?.ini['Server']).toBe('203.0.113.7:443');
    expect(source.asked).toEqual([]);
  });

  it('asks each TERMINAL_RESOLVER_URL in order for the company, and has the name itself last', async () => {
    const one = await resolver(json([row('Other-Live', '10.9.9.9:443'), row('ACME-demo', '10.0.0.1:443')]));
    const two = await resolver(json(row(SERVER, '10.0.0.2:1950', '10.0.0.1:443')));
    expect(await candidates({ TERMINAL_RESOLVER_URL: `${one.url}/, ${two.url}/v2` })).toBe(
      `10.0.0.1:443, 10.0.0.2:1950, ${SERVER}`,
    );
    expect([one.asked, two.asked]).toEqual([['/Search?company=Acme'], ['/v2/Search?company=Acme']]);
  });

  it('has the built-in table before any resolver', async () => {
    const source = await resolver(json([row('MetaQuotes-Demo', '10.0.0.1:443')]));
    expect(await candidates({ TERMINAL_SERVER: 'metaquotes-demo', TERMINAL_RESOLVER_URL: source.url })).toBe(
      'access.metatrader5.com:443, 10.0.0.1:443, metaquotes-demo',
    );
  });

  it.each(['0', 'off'])('goes by the name alone when TERMINAL_AUTORESOLVE is %s', async (word) => {
    const source = await resolver(json([row(SERVER, '10.0.0.1:443')]));
    const env = { TERMINAL_AUTORESOLVE: word, TERMINAL_RESOLVER_URL: source.url, TERMINAL_SERVER: 'MetaQuotes-Demo' };
    expect(await candidates(env)).toBe('MetaQuotes-Demo');
    expect(source.asked).toEqual([]);
  });

  it.each<[string, RequestListener]>([
    ['is down', (request) => request.socket.destroy()],
    ['answers with an error', (_request, response) => response.writeHead(500).end()],
    ['answers with a page', (_request, response) => response.end('<html>no parameters</html>')],
    ['answers with another shape', json({ results: [{ name: SERVER, access: 'none' }, null, 7] })],
    ['hangs', () => undefined],
    ['hangs in the middle', (_request, response) => void response.write('[{"results":')],
    ['names addresses that are none', json([row(SERVER, 'evil\r\n[Experts]:1', '10.0.0.1', ':443', '10.0.0.1:99999')])],
    [
      'redirects to plain HTTP elsewhere',
      (_request, response) => response.writeHead(302, { location: 'http://example.com/' }).end(),
    ],
  ])('goes on with the next resolver when one %s', async (_name, answer) => {
    const bad = await resolver(answer);
    const good = await resolver(json([row(SERVER, '10.0.0.9:443')]));
    expect(await candidates({ TERMINAL_RESOLVER_URL: `${bad.url},${good.url}` })).toBe(`10.0.0.9:443, ${SERVER}`);
  });

  it('asks no resolver over plain HTTP on another machine', async () => {
    expect(await candidates({ TERMINAL_RESOLVER_URL: 'http://resolver.example.com' })).toBe(SERVER);
    expect(rig.events('resolver failed')).toMatchObject([{ reason: expect.stringContaining('HTTPS') }]);
  });

  it('tries six addresses at most: each that does not answer costs a minute and a half', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `10.0.0.${index + 1}:443`);
    const source = await resolver(json([row(SERVER, '[2001:db8::1]:443', ...many)]));
    const list = (await candidates({ TERMINAL_RESOLVER_URL: source.url })).split(', ');
    expect(list).toEqual([...many.slice(0, 6), SERVER]);
  });
});
