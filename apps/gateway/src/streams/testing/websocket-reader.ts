import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface StreamMessage {
  readonly event: string;
  readonly id?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Opened {
  readonly url: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A WebSocket on an event stream that records what it receives. */
export class WebSocketReader {
  readonly messages: StreamMessage[] = [];
  readonly pings: Buffer[] = [];
  /** Code of the close; null while it is open. */
  closeCode: number | null = null;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (text: Buffer) => {
      this.messages.push(JSON.parse(text.toString()) as StreamMessage);
      this.wake();
    });
    socket.on('ping', (data) => {
      this.pings.push(data);
      this.wake();
    });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.wake();
    });
    socket.on('error', () => undefined);
  }

  /** @throws Error naming the status if the handshake is refused */
  static async open({ url, protocols = [], headers = {} }: Opened): Promise<WebSocketReader> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers });
    const reader = new WebSocketReader(socket);
    await once(socket, 'open');
    return reader;
  }

  /** The first message that matches; only the test's time limit ends the wait otherwise. */
  async first(satisfies: (message: StreamMessage) => boolean): Promise<StreamMessage> {
    for (;;) {
      const found = this.messages.find(satisfies);
      if (found) return found;
      await this.next();
    }
  }

  async pinged(): Promise<void> {
    while (this.pings.length === 0) await this.next();
  }

  /** Waits for the close. @returns its code */
  async closed(): Promise<number> {
    while (this.closeCode === null) await this.next();
    return this.closeCode;
  }

  close(): void {
    this.socket.terminate();
  }

  private next(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
