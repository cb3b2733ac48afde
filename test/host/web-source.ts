import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A local web server that answers as the test says, and remembers what it was asked. */
export class WebSource {
  readonly asked: string[] = [];
  private readonly server: Server;

  private constructor(answer: RequestListener) {
    this.server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      answer(request, response);
    });
  }

  static async start(answer: RequestListener): Promise<WebSource> {
    const source = new WebSource(answer);
    await new Promise<void>((resolve) => source.server.listen(0, '127.0.0.1', resolve));
    return source;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
