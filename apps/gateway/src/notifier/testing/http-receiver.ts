import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the receiver answers: a status with headers and a body, or it cuts the connection. */
export type Answer =
  { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | 'cut' | 'silence';

/** A receiver of webhooks over a real socket, that can fail and come back on the same port. */
export class HttpReceiver {
  readonly received: Received[] = [];
  /** Requests that were answered with success. */
  readonly taken: Received[] = [];
  private server: Server;
  private port = 0;

  private constructor(private answer: (request: Received) => Answer) {
    this.server = this.newServer();
  }

  static async start(answer: (request: Received) => Answer = () => ({ status: 200 })): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(answer);
    await receiver.open();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  answerWith(answer: (request: Received) => Answer): void {
    this.answer = answer;
  }

  /** Listens, after {@link close} on the same port. */
  async open(): Promise<void> {
    this.server = this.newServer();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The messages of webhooks that were taken, in order. */
  messages<Message>(): Message[] {
    return this.taken.flatMap(({ body }) => (JSON.parse(body) as { messages: Message[] }).messages);
  }

  private newServer(): Server {
    return createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (body += part));
      request.on('end', () => {
        const one = { path: request.url ?? '', headers: request.headers, body };
        this.received.push(one);
        const answer = this.answer(one);
        if (answer === 'silence') return;
        if (answer === 'cut') return void request.socket.destroy();
        if (answer.status < 300) this.taken.push(one);
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
  }
}
