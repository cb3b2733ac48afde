import { once } from 'node:events';
import { type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { SystemClock } from '@libs/clock';
import { HttpSurface } from './http-surface';

const key = 'key: right\r\n';
const get = (path: string, headers = key): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const large = 20_000_000;

/** A server with the surface that counts the parts which the sockets of its connections delivered. */
class CountedServer {
  parts = 0;
  readonly begun: string[] = [];
  readonly held: ServerResponse[] = [];
  readonly sockets: Socket[] = [];
  private readonly surface = new HttpSurface({ clock: new SystemClock() });
  private readonly server: Server = this.surface.createServer(
    (request, response) => {
      this.begun.push(request.url ?? '');
      if (request.url === '/held') this.held.push(response);
      else if (request.url === '/large') response.end(Buffer.alloc(large));
      else request.resume().once('end', () => response.end('open'));
    },
    { holdsCredential: ({ headers }) => headers['key'] === 'right' },
  );

  async open(): Promise<void> {
    this.server.on('connection', (socket) => {
      const emit = socket.emit.bind(socket);
      socket.emit = (event: string | symbol, ...values: unknown[]) => {
        if (event === 'data') this.parts += 1;
        return emit(event, ...values);
      };
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async client(): Promise<Client> {
    const socket = connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    this.sockets.push(socket);
    await once(socket, 'connect');
    return new Client(socket);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

class Client {
  text = '';

  constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
  }

  get answers(): string[] {
    return this.text.match(/HTTP\/1.1 \d+/g) ?? [];
  }

  async asks(bytes: string, answers: number): Promise<void> {
    this.socket.write(bytes);
    while (this.answers.length < answers) await nextTurn();
    // The answer is read before the server's own turn after it.
    await nextTurn();
  }
}

describe('the bytes of a connection', () => {
  let server: CountedServer;
  let client: Client;
  beforeEach(async () => {
    server = new CountedServer();
    await server.open();
    client = await server.client();
  });
  afterEach(() => server.stop());

  it('pass by the socket in parts until a request carries the credential', async () => {
    await client.asks(get('/open', ''), 1);
    await client.asks(get('/open', ''), 2);
    expect(server.parts).toBe(2);
  });

  it('go directly to the parser after the first request with the credential', async () => {
    await client.asks(get('/open'), 1);
    expect(server.parts).toBe(1);
    for (let count = 2; count <= 20; count += 1) await client.asks(get('/open'), count);
    expect(server.parts).toBe(1);
    expect(client.answers).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200'));
  });

  it('pass in parts again, for good, when a request does not wait for the answer before it', async () => {
    await client.asks(get('/open'), 1);
    await client.asks(get('/open') + get('/open'), 3);
    const before = server.parts;
    await client.asks(get('/open'), 4);
    await client.asks(get('/open'), 5);
    expect(server.parts).toBe(before + 2);
  });

  it('go nowhere once a burst goes beyond the bound', async () => {
    await client.asks(get('/open'), 1);
    client.socket.write(get('/held') + get('/x').repeat(100));
    while (server.held.length === 0) await nextTurn();
    for (const response of server.held) response.end('done');
    await once(client.socket, 'close');
    expect(client.answers).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 429']);
    expect(server.begun).toEqual(['/open', '/held']);
  });

  it('of a body arrive whole, however they are divided', async () => {
    await client.asks(get('/open'), 1);
    const body = 'b'.repeat(300_000);
    client.socket.write(`POST /body HTTP/1.1\r\nHost: x\r\n${key}Content-Length: ${body.length}\r\n\r\n`);
    for (let at = 0; at < body.length; at += 50_000) {
      client.socket.write(body.slice(at, at + 50_000));
      await nextTurn();
    }
    await client.asks(get('/open'), 3);
    expect(client.answers).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('are left to the client while a handler does not read the body', async () => {
    await client.asks(get('/open'), 1);
    const length = 20_000_000;
    client.socket.write(`POST /held HTTP/1.1\r\nHost: x\r\n${key}Content-Length: ${length}\r\n\r\n`);
    client.socket.write(Buffer.alloc(length));
    while (server.held.length === 0) await nextTurn();
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    const [response] = server.held;
    expect(response?.req.socket.bytesRead).toBeLessThan(length / 2);
    response?.req.resume().once('end', () => response.end('done'));
    await client.asks('', 2);
    await client.asks(get('/open'), 3);
  });

  it('are all read when the client pipelines requests while it does not read the answers', async () => {
    await client.asks(get('/open'), 1);
    client.socket.pause();
    client.socket.write(get('/large'));
    while (server.begun.length < 2) await nextTurn();
    client.socket.write(get('/large'));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    client.socket.resume();
    client.socket.write(get('/last'));
    while (!server.begun.includes('/last')) await nextTurn();
    expect(server.begun).toEqual(['/open', '/large', '/large', '/last']);
  });
});
