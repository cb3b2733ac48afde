import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError, errorBody, requestIdOf } from '@libs/envelope';
import { HttpSurface, listenOptions } from '@libs/http-surface';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { Readiness } from './readiness';

const paths = new Set(['/ready', '/live']);
/** Separate from those of the API, so that load on one port does not affect the other. */
const limits = { most: 32, mostUnauthenticated: 16, keepAliveTimeoutMs: 5_000 };

/**
 * Answers probes on TERMINAL_PROBE_PORT without a credential: `/ready` and `/live`, without details. It serves
 * orchestrators that cannot send the key; without the setting, nothing listens.
 */
@Injectable()
export class ProbeListener implements OnApplicationShutdown {
  private server: Server | null = null;
  private asking: Promise<boolean> | null = null;

  constructor(
    private readonly readiness: Readiness,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * Starts to listen. Call after the API listens, because ready means that the API can be called.
   * @returns the port, or null if TERMINAL_PROBE_PORT is unset
   * @throws an error of the system if it cannot listen on the port
   */
  async listen(): Promise<number | null> {
    const port = this.settings.TERMINAL_PROBE_PORT;
    if (port === undefined) return null;
    const surface = new HttpSurface({ clock: this.clock, limits });
    this.server = surface.createServer((request, response) => void this.handle(request, response));
    this.server.listen(listenOptions(port, this.settings.TERMINAL_API_HOST));
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = requestIdOf(request);
    const answer = await this.answer(request);
    const [status, headers, body] =
      answer instanceof ApiError
        ? [answer.status, answer.headers, errorBody(answer, requestId)]
        : [200, {}, { ok: true, status: answer }];
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'x-request-id': requestId,
      'cache-control': 'no-store',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  private async answer({ method, url = '/' }: IncomingMessage): Promise<ApiError | 'alive' | 'ready'> {
    const path = url.split('?', 1).join('');
    if (!paths.has(path)) return new ApiError('not_found', 'no such probe: this port serves only /ready and /live');
    if (method !== 'GET' && method !== 'HEAD') {
      return new ApiError('method_not_allowed', `${method} is not allowed here; allowed: GET, HEAD`, {
        headers: { allow: 'GET, HEAD' },
      });
    }
    if (path === '/live') return 'alive';
    return (await this.isReady())
      ? 'ready'
      : new ApiError('not_ready', 'not ready', { fields: { status: 'not_ready' } });
  }

  /** Simultaneous probes share one check. */
  private isReady(): Promise<boolean> {
    this.asking ??= this.readiness
      .report()
      .then(
        ({ ready }) => ready,
        () => false,
      )
      .finally(() => (this.asking = null));
    return this.asking;
  }
}
