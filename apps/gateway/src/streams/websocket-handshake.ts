import type { FastifyReply } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';
import { ApiError } from '@libs/envelope';
import { handshakeProblem } from '@libs/http-surface';
import type { Clock } from '@libs/clock';
import { WebSocketWire } from './websocket-wire';

/** The subprotocol of the streams. */
const protocol = 'trading-gateway';
/** Bytes of a message of a client. None is accepted, so this bounds what is read of one. */
const longestMessage = 1_024;
/** Parts of a message of a client. */
const mostFragments = 16;
/** Options that the types lack: how long a client has to answer a close, and to read pongs before it is cut off. */
const untyped = { closeTimeout: 2_000, maxPendingAutoPongs: 60 };

/** Answers the handshakes of WebSockets (RFC 6455 §4.2). */
export class WebSocketHandshake {
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression would cost memory and time for each listener.
    perMessageDeflate: false,
    maxPayload: longestMessage,
    maxFragments: mostFragments,
    ...untyped,
    // A key is offered as a subprotocol too, and never selected.
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });

  constructor(
    private readonly origins: readonly string[],
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError validation_error, forbidden for a page of another origin */
  accept(reply: FastifyReply): WebSocketWire {
    const { raw, headers } = reply.request;
    const problem = handshakeProblem(headers, protocol) ?? this.originProblem(headers);
    if (problem) throw problem;
    const ofHooks = Object.entries(reply.getHeaders());
    const carrier = reply.takeSocket(101);
    let accepted: WebSocket | undefined;
    this.server.once('headers', (lines) => lines.push(...ofHooks.map(([name, value]) => `${name}: ${String(value)}`)));
    this.server.handleUpgrade(raw, carrier, Buffer.alloc(0), (socket) => (accepted = socket));
    if (!accepted) throw new Error('the WebSocket library rejected a checked handshake');
    return new WebSocketWire(carrier, accepted, this.clock);
  }

  /** Browsers let every page open a WebSocket, so the origins of CORS are checked here. */
  private originProblem({ origin, host }: FastifyReply['request']['headers']): ApiError | null {
    if (origin === undefined || this.origins.includes(origin)) return null;
    if (URL.canParse(origin) && new URL(origin).host === host) return null;
    return new ApiError('forbidden', 'the Origin header is not allowed: see CORS_ORIGINS');
  }
}
