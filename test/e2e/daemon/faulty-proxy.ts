import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the way to the gateway does to a request. */
export type Fault =
  /** The request never arrives. */
  | 'lost-before'
  /** It arrives and is carried out; the answer is lost. */
  | 'lost-after'
  /** Something in between answers 502 without asking the gateway. */
  | 'bad-gateway'
  /** The gateway's answer breaks off in the middle, and looks whole. */
  | 'cut-short'
  /** Something in between answers this without asking the gateway. */
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The answer comes so many milliseconds late. */
  | { readonly lateMs: number }
  /** It goes to another gateway. */
  | { readonly to: string };

/** A way to the gateway that fails on demand, so that a real gateway and a real broker stand behind every drill. */
export class FaultyProxy {
  /** Decides what happens to a request; null lets it through. */
  fault: (method: string, path: string) => Fault | null = () => null;
  /** Keys of the trade requests that arrived here. */
  readonly sends: { readonly path: string; readonly key: string }[] = [];
  /** Requests that are not answered yet, and the most there were at once; event streams do not count. */
  inFlight = 0;
  mostInFlight = 0;
  /** How many have come, answered or not. */
  arrivals = 0;
  private readonly server: Server;
  private readonly streams = new Set<ServerResponse>();
  private readonly late = new Set<NodeJS.Timeout>();

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

  /** Breaks every connection that stands, streams included. */
  cut(): void {
    this.server.closeAllConnections();
  }

  /** Leads to another gateway from now on. */
  lead(target: string): void {
    this.target = target;
  }

  /** Breaks the event streams that stand. */
  cutStreams(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** Keys of the trade requests to a route that arrived here, each once. */
  keys(path: string): readonly string[] {
    return [...new Set(this.sends.filter((send) => send.path === path).map(({ key }) => key))];
  }

  async stop(): Promise<void> {
    for (const timer of this.late) clearTimeout(timer);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const path = url.split('?', 1)[0] ?? url;
    const key = headers['idempotency-key'];
    if (typeof key === 'string') this.sends.push({ path, key });
    if (path.startsWith('/stream/')) this.follow(outgoing);
    else this.count(outgoing);
    const fault = this.fault(method, path);
    if (fault === 'lost-before') return void incoming.socket.destroy();
    if (fault === 'bad-gateway') return void outgoing.writeHead(502).end('<html>Bad Gateway</html>');
    if (typeof fault === 'object' && fault !== null && 'status' in fault) {
      const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
      return void incoming.resume().on('end', () => outgoing.writeHead(fault.status, fault.headers).end(text));
    }
    const target = typeof fault === 'object' && fault !== null && 'to' in fault ? fault.to : this.target;
    const onward = request(`${target}${url}`, { method, headers }, (answer) => this.answer(fault, answer, outgoing));
    onward.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  private answer(fault: Fault | null, answer: IncomingMessage, outgoing: ServerResponse): void {
    answer.on('error', () => outgoing.destroy());
    if (fault === 'lost-after') return void answer.resume().on('end', () => outgoing.destroy());
    if (fault === 'cut-short') return this.cutShort(answer, outgoing);
    const send = (): void => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    };
    if (typeof fault !== 'object' || fault === null || !('lateMs' in fault)) return send();
    const timer = setTimeout(() => {
      this.late.delete(timer);
      send();
    }, fault.lateMs);
    this.late.add(timer);
  }

  private cutShort(answer: IncomingMessage, outgoing: ServerResponse): void {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const whole = Buffer.concat(chunks);
      const type = answer.headers['content-type'] ?? 'application/json';
      outgoing
        .writeHead(answer.statusCode ?? 502, { 'content-type': type })
        .end(whole.subarray(0, Math.floor(whole.length / 2)));
    });
  }

  private follow(outgoing: ServerResponse): void {
    this.streams.add(outgoing);
    outgoing.on('close', () => this.streams.delete(outgoing));
  }

  private count(outgoing: ServerResponse): void {
    this.arrivals++;
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    outgoing.on('close', () => this.inFlight--);
  }
}
