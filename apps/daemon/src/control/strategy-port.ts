import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { ApiError, errorBody } from '@libs/envelope';
import type { LatencyBook } from '../latency/latency-book';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { tokenCheck } from './control-token.guard';
import { healthOfStrategy, statusOf } from './snapshots';

/** What a listener may leave unread before it is let go. */
const mostUnreadBytes = 1024 * 1024;

/**
 * One strategy's own port, on loopback: the same snapshots as the control port, and its events as they happen. A bare
 * server, because there may be hundreds of them.
 */
export class StrategyPort {
  private readonly server: Server;
  private readonly mayAsk: (authorization: string) => boolean;

  constructor(
    private readonly strategy: StrategyRunner,
    private readonly latency: LatencyBook,
    token: string | undefined,
  ) {
    this.mayAsk = tokenCheck(token);
    this.server = createServer((request, response) => {
      try {
        this.answer(request, response);
      } catch (error) {
        // A bare server has nobody else to catch it, and it would end every strategy.
        strategy.log.error('its port could not answer', { error: String(error) });
        refuse(response, new ApiError('internal_error', 'internal error'));
      }
    });
    this.server.unref();
  }

  /** Takes a free port. @throws Error when there is none */
  async open(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').split('?', 1)[0];
    const isAllowed = path === '/health' || this.mayAsk(request.headers.authorization ?? '');
    if (!isAllowed) return refuse(response, new ApiError('authentication_error', 'missing or wrong credential'));
    if (request.method !== 'GET') return refuse(response, new ApiError('not_found', 'not found'));
    switch (path) {
      case '/health':
        return send(response, 200, healthOfStrategy(this.strategy));
      case '/status':
        return send(response, 200, statusOf(this.strategy));
      case '/latency':
        return send(response, 200, {
          enabled: this.latency.enabled,
          stages: this.latency.snapshotOf(this.strategy.spec.name),
        });
      case '/events':
        return this.stream(response);
      default:
        return refuse(response, new ApiError('not_found', 'not found'));
    }
  }

  private stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(': listening\n\n');
    const stop = this.strategy.trading.events.listen((name, data) => {
      // A listener that does not read is let go rather than remembered without bound.
      if (response.writableLength > mostUnreadBytes) response.destroy();
      else response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    });
    response.on('close', stop);
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, error: ApiError): void {
  send(response, error.status, errorBody(error, randomUUID()));
}
