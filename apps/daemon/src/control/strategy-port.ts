import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ApiError, errorBody, requestIdOf } from '@libs/envelope';
import { hostCheck, methodNotAllowed, sseComment, sseFrame, type HttpSurface } from '@libs/http-surface';
import type { LatencyBook } from '../latency/latency-book';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { credentialRequired, tokenCheck } from './control-token.guard';
import { healthOfStrategy, statusOf } from './snapshots';

/** Unread bytes after which a listener is disconnected. */
const mostUnreadBytes = 1024 * 1024;

/** Access rules, and the HTTP surface that the ports share with the control port. */
export interface PortAccess {
  readonly surface: HttpSurface;
  readonly token: string | undefined;
  /** DAEMON_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
}

const paths = ['/health', '/status', '/latency', '/events'];
const methods = ['GET', 'HEAD'];

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
    { surface, token, allowedHosts }: PortAccess,
  ) {
    this.mayAsk = tokenCheck(token);
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      response.setHeader('x-request-id', requestIdOf(request));
      try {
        this.answer(request, response);
      } catch (error) {
        if (error instanceof ApiError) return refuse(response, error);
        // The server has no other error handler; an uncaught error would end the process with all strategies.
        strategy.log.error("a request to the strategy's port failed", { error: String(error) });
        refuse(response, new ApiError('internal_error', 'internal error'));
      }
    };
    this.server = surface.createServer(handle, {
      admit: hostCheck({ names: allowedHosts, isBoundToLoopback: true }),
      allowedMethods: (path) => (paths.includes(path) ? methods : []),
      holdsCredential: ({ headers }) => this.mayAsk(headers.authorization ?? ''),
    });
    this.server.unref();
  }

  /** Listens on a free port. @throws Error if there is none */
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

  /** @throws ApiError for a request that it cannot serve */
  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = request;
    const path = url.split('?', 1)[0] ?? '/';
    if (!paths.includes(path)) throw new ApiError('not_found', 'not found');
    if (!methods.includes(method)) throw methodNotAllowed(method, methods);
    if (path !== '/health' && !this.mayAsk(headers.authorization ?? '')) throw credentialRequired();
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
      default:
        return this.stream(response);
    }
  }

  private stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    // A HEAD request gets the headers only.
    if (response.req.method === 'HEAD') return void response.end();
    response.write(sseComment('listening'));
    const stop = this.strategy.trading.feed.listen((name, data) => {
      // A listener that does not read is disconnected, so that its backlog stays bounded.
      if (response.writableLength > mostUnreadBytes) response.destroy();
      else response.write(sseFrame({ event: name, data }));
    });
    response.on('close', stop);
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

function refuse(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) return void response.destroy();
  send(response, error.status, errorBody(error, String(response.getHeader('x-request-id'))), error.headers);
}
