import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the way to the gateway does to a request. */
export type Fault =
  /** The request never arrives. */
  | 'lost-before'
  /** It arrives and is carried out; the answer is lost. */
  | 'lost-after'
  /** The answer comes late. */
  | 'slow'
  /** Something in between answers 502 without asking the gateway. */
  | 'bad-gateway';

/** A way to the gateway that fails on demand, so that a real gateway and a real broker stand behind every drill. */
export class FaultyProxy {
  /** Decides what happens to a request; null lets it through. */
  fault: (method: string, path: string) => Fault | null = () => null;
  /** Keys and bodies of the trade requests that arrived here. */
  readonly sends: { readonly path: string; readonly key: string }[] = [];
  private readonly server: Server;

  private constructor(private target: string) {
    this.server = createServer((incoming, outgoing) => this.pass(incoming, outgoing));
  }

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Leads to another gateway from now on. */
  lead(target: string): void {
    this.target = target;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const path = url.split('?', 1)[0] ?? url;
    const key = headers['idempotency-key'];
    if (typeof key === 'string') this.sends.push({ path, key });
    const fault = this.fault(method, path);
    if (fault === 'lost-before') return void incoming.socket.destroy();
    if (fault === 'bad-gateway') return void outgoing.writeHead(502).end('<html>Bad Gateway</html>');
    const onward = request(`${this.target}${url}`, { method, headers }, (answer) => {
      if (fault === 'lost-after') {
        answer.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      const send = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      };
      if (fault === 'slow') setTimeout(send, 700);
      else send();
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  }
}
