import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Gauge } from 'prom-client';
import { Clock, type Timer } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { isWebSocketHandshake } from '@libs/http-surface';
import { MetricsRegistry } from '@libs/metrics';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { takeOver } from '../market-data/answer';
import { PeriodicWork } from '../schedule/periodic-work';
import { SseWire } from './sse-wire';
import { StreamConnection, type StreamWire } from './stream-connection';
import { WebSocketHandshake } from './websocket-handshake';

export type StreamName = 'ticks' | 'trades';

const heartbeatMs = 15_000;
/** A listener that reads nothing for this long is disconnected; it can reconnect with its last id. */
const longestBlockMs = 60_000;

/** All open event streams: heartbeats, count and shutdown. */
@Injectable()
export class StreamConnections implements OnModuleDestroy {
  private readonly open = new Map<StreamConnection, StreamName>();
  private readonly listeners: Gauge<'stream'>;
  private readonly handshake: WebSocketHandshake;
  private heartbeat: Timer | null = null;
  private closing = false;

  constructor(
    private readonly clock: Clock,
    private readonly periodic: PeriodicWork,
    registry: MetricsRegistry,
    @Inject(GATEWAY_SETTINGS) { CORS_ORIGINS }: Pick<GatewaySettings, 'CORS_ORIGINS'>,
  ) {
    this.handshake = new WebSocketHandshake(CORS_ORIGINS, clock);
    this.listeners = new Gauge({
      name: 'stream_listeners',
      help: 'Open event streams.',
      labelNames: ['stream'] as const,
      registers: [registry],
    });
    this.listeners.set({ stream: 'ticks' }, 0);
    this.listeners.set({ stream: 'trades' }, 0);
  }

  /** Open streams of both kinds. */
  get count(): number {
    return this.open.size;
  }

  /**
   * Turns an answer into an event stream, or a handshake into a WebSocket.
   * @throws ApiError terminal_unavailable while the gateway stops; validation_error or forbidden for a handshake
   */
  accept(reply: FastifyReply, stream: StreamName): StreamConnection {
    if (this.closing) throw new ApiError('terminal_unavailable', 'the gateway is stopping');
    const connection = new StreamConnection(this.wireOf(reply), this.clock);
    this.open.set(connection, stream);
    this.listeners.inc({ stream });
    connection.whenClosed(() => {
      if (this.open.delete(connection)) this.listeners.dec({ stream });
      if (this.open.size === 0) this.stopHeartbeat();
    });
    this.heartbeat ??= this.periodic.clockOf('stream-heartbeat').every(heartbeatMs, () => this.beat());
    // A HEAD request gets headers only.
    if (reply.request.method === 'HEAD') connection.end();
    return connection;
  }

  private wireOf(reply: FastifyReply): StreamWire {
    if (isWebSocketHandshake(reply.request)) return this.handshake.accept(reply);
    const raw = takeOver(reply, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Buffering proxies would delay events.
      'x-accel-buffering': 'no',
    });
    const wire = new SseWire(raw);
    wire.begin();
    return wire;
  }

  /** Ends every stream before the server waits for its connections. */
  onModuleDestroy(): void {
    this.closing = true;
    this.stopHeartbeat();
    for (const connection of this.open.keys()) connection.end();
  }

  private beat(): void {
    for (const connection of this.open.keys()) {
      if (connection.blockedMs > longestBlockMs) connection.cut();
      else if (connection.isReady) connection.heartbeat();
    }
  }

  private stopHeartbeat(): void {
    this.heartbeat?.cancel();
    this.heartbeat = null;
  }
}
