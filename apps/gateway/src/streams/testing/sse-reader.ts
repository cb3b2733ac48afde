import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

interface Opened {
  readonly url: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of an event stream that records what it receives. */
export class SseReader {
  readonly messages: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  /** The stream has ended in order. */
  hasEnded = false;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly request: ClientRequest) {
    // Errors of a closed or disconnected reader do not matter.
    request.on('error', () => undefined);
  }

  static async open({ url, key, headers = {} }: Opened): Promise<SseReader> {
    const request = get(url, { headers: { authorization: `Bearer ${key}`, ...headers }, agent: false });
    const reader = new SseReader(request);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
    reader.read(response);
    return reader;
  }

  /** The first message that matches; only the test's time limit ends the wait otherwise. */
  async first(satisfies: (message: EventSourceMessage) => boolean): Promise<EventSourceMessage> {
    for (;;) {
      const found = this.messages.find(satisfies);
      if (found) return found;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  async ended(): Promise<void> {
    while (!this.hasEnded) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  async heartbeat(): Promise<void> {
    while (this.comments.length === 0) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  close(): void {
    this.request.destroy();
  }

  private read(response: IncomingMessage): void {
    const parser = createParser({
      onEvent: (message) => this.messages.push(message),
      onComment: (comment) => this.comments.push(comment),
    });
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('data', (chunk: string) => {
      parser.feed(chunk);
      this.wake();
    });
    response.on('end', () => {
      this.hasEnded = true;
      this.wake();
    });
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
