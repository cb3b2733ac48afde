import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { SystemClock } from '@libs/clock';
import type { ConnectionLimits } from './connection-limits';
import { defaultLimits } from './connection-limits';
import { HttpSurface } from './http-surface';

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A server whose handler waits until it is let go; `/open` answers at once, `key: right` authenticates. */
class Shop {
  readonly begun: string[] = [];
  private readonly held: ServerResponse[] = [];
  private readonly sockets: Socket[] = [];
  readonly surface: HttpSurface;
  readonly server: Server;

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.surface = new HttpSurface({ clock: new SystemClock(), limits });
    this.server = this.surface.createServer((request, response) => this.handle(request, response), {
      holdsCredential: ({ headers }) => headers['key'] === 'right',
    });
  }

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async client(bytes = ''): Promise<Socket> {
    const socket = connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    const accepted = once(this.server, 'connection');
    socket.on('error', () => undefined);
    this.sockets.push(socket);
    await Promise.all([once(socket, 'connect'), accepted]);
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  /** Resolves once that many requests have started. */
  async until(begun: number): Promise<void> {
    while (this.begun.length < begun) await nextTurn();
  }

  async untilConnections(satisfies: (count: number) => boolean): Promise<void> {
    const count = () => new Promise<number>((resolve) => this.server.getConnections((_, open) => resolve(open)));
    while (!satisfies(await count())) await nextTurn();
  }

  letGo(): void {
    for (const response of this.held.splice(0)) response.end('done');
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    this.begun.push(request.url ?? '');
    if (request.url === '/open') response.end('open');
    else if (request.url === '/large') response.end(Buffer.alloc(50_000_000));
    else if (request.method === 'POST') request.resume().once('end', () => response.end('read'));
    else this.held.push(response);
  }
}

/** Everything received until the connection ends. */
async function everything(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function until(text: () => string, part: string): Promise<void> {
  while (!text().includes(part)) await nextTurn();
}

describe('the HTTP surface', () => {
  let shop: Shop;
  const start = async (limits: Partial<ConnectionLimits> = {}): Promise<Shop> => {
    shop = new Shop(limits);
    await shop.open();
    return shop;
  };
  afterEach(() => shop.stop());
  const key = 'key: right\r\n';

  describe('ends unfinished requests and idle connections after a time', () => {
    const limits = { headersTimeoutMs: 400, requestTimeoutMs: 600, checkIntervalMs: 20 };
    it.each([
      ['headers', 'GET / HTTP/1.1\r\nHo'],
      ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n{'],
    ])('%s: with 408 in the envelope', async (_case, bytes) => {
      await start(limits);
      const [head = '', body = ''] = (await everything(await shop.client(bytes))).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 408 /);
      expect(JSON.parse(body)).toMatchObject({ ok: false, error_type: 'request_timeout' });
    });

    it('a connection without a request: silently, as it could be taken for the answer to the first one', async () => {
      await start(limits);
      expect(await everything(await shop.client())).toBe('');
    });

    it('an idle connection: silently', async () => {
      await start({ keepAliveTimeoutMs: 50 });
      expect((await everything(await shop.client(get('/open')))).split('HTTP/1.1')).toHaveLength(2);
    });

    it('an answer that is not read; a handler may take longer', async () => {
      await start({ unreadTimeoutMs: 100 });
      const patient = await shop.client(get('/held', key));
      const reader = everything(patient);
      const socket = await shop.client(get('/large', key));
      socket.pause();
      await shop.until(2);
      await shop.untilConnections((count) => count <= 1);
      shop.letGo();
      patient.end();
      expect(await reader).toContain('done');
    });
  });

  describe('begins one request at a time on a connection', () => {
    it('in order, each after the answer to the previous one', async () => {
      await start();
      const socket = await shop.client(get('/1') + get('/2') + get('/3'));
      const all = everything(socket);
      for (const count of [1, 2, 3]) {
        await shop.until(count);
        await nextTurn();
        expect(shop.begun).toHaveLength(count);
        shop.letGo();
      }
      socket.end();
      expect(shop.begun).toEqual(['/1', '/2', '/3']);
      expect((await all).split('done')).toHaveLength(4);
    });

    it('and refuses a burst beyond the bound: the first is answered, the second 429, the rest never starts', async () => {
      await start();
      const all = everything(await shop.client(get('/1', key) + get('/x', key).repeat(100)));
      await shop.until(1);
      await nextTurn();
      shop.letGo();
      const text = await all;
      expect(shop.begun).toEqual(['/1']);
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
      expect(text).toContain('"error_type":"too_many_requests"');
    });

    it('and parses a burst in parts, so that requests beyond the bound are not even parsed', async () => {
      let parsed = 0;
      await start();
      shop.server.on('request', () => parsed++);
      await everything(await shop.client(get('/held').repeat(1_300)));
      expect(parsed).toBeLessThan(200);
    });

    it('and cuts off a burst from a client without a credential', async () => {
      await start();
      expect(await everything(await shop.client(get('/1').repeat(100)))).toBe('');
    });

    it('and answers complete requests before one that cannot be parsed', async () => {
      await start();
      const all = everything(await shop.client(`${get('/order')}GARBAGE\r\n\r\n`));
      await shop.until(1);
      await nextTurn();
      shop.letGo();
      const text = await all;
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    });
  });

  describe('in a crowd', () => {
    it('begins a request with the credential before most of those without', async () => {
      await start();
      const crowd = await Promise.all(Array.from({ length: 60 }, () => shop.client()));
      const known = await shop.client();
      await shop.untilConnections((count) => count === 61);
      for (const socket of crowd) socket.write(get('/open'));
      known.write(get('/known', key));
      await shop.until(61);
      expect(shop.begun.indexOf('/known')).toBeLessThan(20);
    });

    it('starts none of those without while a request with the credential uses its turns', async () => {
      await start();
      const crowd = await Promise.all(Array.from({ length: 60 }, () => shop.client()));
      const known = await shop.client();
      await shop.untilConnections((count) => count === 61);
      for (const socket of crowd) socket.write(get('/open'));
      known.write(get('/known', key));
      while (!shop.begun.includes('/known')) await nextTurn();
      const before = shop.begun.length;
      for (let turn = 0; turn < 18; turn++) await nextTurn();
      expect(shop.begun.length).toBe(before);
      await shop.until(61);
    });

    it('closes down to the limit', async () => {
      await start({ mostUnauthenticated: 2 });
      const known = await shop.client(get('/open', key));
      await once(known, 'data');
      const crowd = await Promise.all(Array.from({ length: 60 }, () => shop.client()));
      await shop.untilConnections((count) => count === 3);
      for (const socket of [known, ...crowd.slice(-2)]) {
        socket.write(get('/open'));
        expect(String(await once(socket, 'data'))).toContain('open');
      }
    });
  });

  describe('with too many connections', () => {
    it('of one address without a credential closes the oldest of them', async () => {
      await start({ mostUnauthenticated: 2 });
      const known = await shop.client(get('/open', key));
      await once(known, 'data');
      const crowd = [await shop.client(), await shop.client(), await shop.client()];
      await everything(crowd[0] ?? known);
      for (const socket of [known, crowd[1], crowd[2]]) {
        socket?.write(get('/open'));
        expect(String(await once(socket ?? known, 'data'))).toContain('open');
      }
    });

    it('in all closes the oldest without a credential, then the oldest idle one, never one with a request', async () => {
      await start({ most: 2 });
      const busy = await shop.client(get('/held', key));
      await shop.until(1);
      const stranger = await shop.client();
      const idle = await shop.client(get('/open', key));
      await everything(stranger);
      await once(idle, 'data');
      const second = await shop.client(get('/held', key));
      await everything(idle);
      await shop.until(3);
      expect(await everything(await shop.client())).toBe('');
      const answers = [once(busy, 'data'), once(second, 'data')];
      shop.letGo();
      for (const [chunk] of await Promise.all(answers)) expect(String(chunk)).toContain('done');
    });

    it('reserves descriptors for other uses than clients', () => {
      expect(defaultLimits(256)).toMatchObject({ most: 128, mostUnauthenticated: 64 });
      expect(defaultLimits(1_048_576)).toMatchObject({ most: 4_096, mostUnauthenticated: 128 });
      expect(defaultLimits(null).most).toBe(4_096);
      expect(defaultLimits(64).most).toBe(32);
    });
  });

  it('at shutdown ends all incomplete requests, and does not wait for a client that does not read', async () => {
    await start({ closeGraceMs: 50 });
    const unfinished = everything(await shop.client('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n{'));
    const silent = everything(await shop.client());
    const deaf = await shop.client(get('/large', key));
    deaf.pause();
    const busy = await shop.client(get('/held', key));
    let heard = '';
    busy.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await shop.until(3);
    const closed = once(shop.server, 'close');
    shop.server.close();
    shop.surface.close();
    expect(await silent).toBe('');
    expect(await unfinished).toBe('');
    shop.letGo();
    await until(() => heard, 'done');
    await closed;
  });
});
