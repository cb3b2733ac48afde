import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Message {
  readonly id?: number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly kind?: string } };
}

/** One end of a connection that sends exactly what a test specifies. */
export class RawPeer {
  private readonly messages: Message[] = [];
  private waiting: ((message: Message | null) => void)[] = [];
  private ended = false;
  private held = '';
  readonly closed: Promise<'closed'>;

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      const lines = (this.held + chunk.toString()).split('\n');
      this.held = lines.pop() ?? '';
      for (const line of lines) this.deliver(JSON.parse(line) as Message);
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.ended = true;
        for (const resolveNext of this.waiting.splice(0)) resolveNext(null);
        resolve('closed');
      });
    });
  }

  /** The next message, or null once the other end is gone; pings and messages that the connection is up are skipped. */
  next(): Promise<Message | null> {
    const first = this.messages.shift();
    if (first) return Promise.resolve(first);
    return this.ended ? Promise.resolve(null) : new Promise((resolve) => this.waiting.push(resolve));
  }

  say(message: object): void {
    this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Takes the next request and answers it. */
  async answer(result: unknown): Promise<Message> {
    const request = await this.next();
    if (request === null) throw new Error('the other end is gone');
    this.say({ id: request.id, result });
    return request;
  }

  greet(): Promise<Message> {
    return this.answer({ driver: 'raw', build: 1 });
  }

  private deliver(message: Message): void {
    if (message.method === 'ping' || isUp(message)) return;
    const resolve = this.waiting.shift();
    if (resolve) resolve(message);
    else this.messages.push(message);
  }
}

function isUp({ method, params }: Message): boolean {
  return method === 'connection' && (params as { state?: string }).state === 'up';
}

/** A server of raw peers. */
export class RawServer {
  private readonly peers: RawPeer[] = [];
  private waiting: ((peer: RawPeer) => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      const peer = new RawPeer(socket);
      const resolve = this.waiting.shift();
      if (resolve) resolve(peer);
      else this.peers.push(peer);
      this.all.push(peer);
    });
  }

  private readonly all: RawPeer[] = [];

  static async listen(): Promise<RawServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RawServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  accept(): Promise<RawPeer> {
    const first = this.peers.shift();
    return first ? Promise.resolve(first) : new Promise((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const { socket } of this.all) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export async function rawClient(port: number): Promise<RawPeer> {
  const socket = connect({ port, host: '127.0.0.1' });
  await new Promise((resolve) => socket.once('connect', resolve));
  return new RawPeer(socket);
}
