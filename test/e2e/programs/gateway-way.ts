import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Scratch } from './scratch';

/** What passes: everything, everything but requests that trade, or nothing. */
type State = 'open' | 'holding' | 'cut';

/** How a request is answered that arrived late. */
export interface LateAnswer {
  readonly status: number;
  /** Whether it is the answer to an earlier request with its key. */
  readonly isReplayed: boolean;
}

/** A request that has not arrived, and the connection on which its answer is expected. */
interface HeldRequest {
  readonly near: Socket;
  readonly pieces: readonly Buffer[];
  /** Takes what comes next on the connection. */
  next: (bytes: Buffer) => void;
}

/** The way of one host to its gateway: a TCP port of its own. Requests that trade can be held, and arrive late. */
export class GatewayWay {
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private state: State = 'open';
  private readonly held: HeldRequest[] = [];
  /** Called at the answer to the next order that is sent. */
  private onOrder: (() => void) | null = null;

  private constructor(private readonly to: { readonly host: string; readonly port: number }) {
    this.server = createServer((near) => this.forward(near));
  }

  static async start(scratch: Scratch, gatewayUrl: string): Promise<GatewayWay> {
    const { hostname, port } = new URL(gatewayUrl);
    const way = new GatewayWay({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => way.server.listen(0, '127.0.0.1', resolve));
    scratch.undo(() => way.end());
    return way;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get heldRequests(): number {
    return this.held.length;
  }

  /** From now on no POST request arrives; prices and answers still do. */
  hold(): void {
    this.state = 'holding';
  }

  /** As {@link hold}, from the answer to the next order on. @param then runs before that answer is passed */
  holdAfterOrder(then: () => void): void {
    this.onOrder = (): void => {
      this.onOrder = null;
      then();
      this.hold();
    };
  }

  /** From now on nothing passes. Connections without a held request break, so that no stream goes on afterwards. */
  cut(): void {
    this.state = 'cut';
    this.breakOthers();
  }

  /** Everything passes again, but for the requests that are held. */
  mend(): void {
    this.state = 'open';
    this.breakOthers();
  }

  /** Held requests arrive, whether or not their sender still waits. @returns how each is answered */
  deliver(): Promise<readonly LateAnswer[]> {
    return Promise.all(this.held.splice(0).map((request) => this.send(request)));
  }

  private forward(near: Socket): void {
    const far = connect(this.to);
    let request: HeldRequest | null = null;
    let isOrder = false;
    this.open.add(near);
    near.on('data', (bytes) => {
      const head = headOf(bytes);
      if (/^[A-Z]+ \//.test(head)) isOrder = head.startsWith('POST /order ');
      if (request) request.next(bytes);
      else if (this.state !== 'open' && head.startsWith('POST /')) request = this.keep(near, far, bytes);
      else if (this.state !== 'cut') far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (isOrder) this.onOrder?.();
      if (this.state !== 'cut') near.write(bytes);
    });
    near.on('close', () => far.destroy());
    far.on('close', () => {
      if (!request) near.destroy();
    });
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('close', () => this.open.delete(near));
  }

  /** Keeps what the connection carries from here on. */
  private keep(near: Socket, far: Socket, first: Buffer): HeldRequest {
    const pieces = [first];
    const request: HeldRequest = { near, pieces, next: (bytes) => void pieces.push(bytes) };
    this.held.push(request);
    far.destroy();
    return request;
  }

  /** The gateway may have closed the connection since, which had waited: the request takes a new one. */
  private send(request: HeldRequest): Promise<LateAnswer> {
    const { near, pieces } = request;
    const far = connect(this.to);
    return new Promise<LateAnswer>((resolve, reject) => {
      far.once('data', (bytes) => {
        resolve(answerOf(bytes));
        if (near.destroyed) far.destroy();
        near.once('close', () => far.destroy());
      });
      far.on('data', (bytes) => void near.write(bytes));
      far.on('error', reject);
      far.on('close', () => {
        reject(new Error('the gateway has not answered a late request'));
        near.destroy();
      });
      far.write(Buffer.concat(pieces));
      request.next = (bytes): void => void far.write(bytes);
    });
  }

  private breakOthers(): void {
    const waiting = new Set(this.held.map(({ near }) => near));
    for (const near of this.open) if (!waiting.has(near)) near.destroy();
  }

  private end(): void {
    this.server.close();
    for (const near of this.open) near.destroy();
  }
}

/** The method and the path, at the beginning of a request. */
function headOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 40);
}

/** Of an answer that begins with these bytes. */
function answerOf(bytes: Buffer): LateAnswer {
  const [head = ''] = bytes.toString('latin1').split('\r\n\r\n', 1);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  return { status, isReplayed: /^idempotent-replayed: true$/im.test(head) };
}
