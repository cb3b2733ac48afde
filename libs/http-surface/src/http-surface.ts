import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock, Timer } from '@libs/clock';
import { validationError, type ApiError } from '@libs/envelope';
import { Connection } from './connection';
import { defaultLimits, type ConnectionLimits } from './connection-limits';
import { Connections } from './connections';
import { earlyAnswer, type EarlyHeaders } from './early-answer';
import { answerFrameworkErrors, type AnswerObserver } from './framework-errors';
import { headersOfPacket, methodNotAllowed, parserFailure, type ParserError } from './parser-errors';
import { readInParts } from './reading-in-parts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What one server admits. */
export interface ServerRules {
  /** Why a request may not be handled at all; null when it may. Asked before any handler. */
  readonly admit?: (request: IncomingMessage) => ApiError | null;
  /** The methods that a path takes; none when nothing has it. */
  readonly allowedMethods?: (path: string) => readonly string[];
}

export interface SurfaceOptions {
  readonly clock: Clock;
  /** Headers of answers that no hook of the framework sees. */
  readonly early?: EarlyHeaders;
  readonly limits?: Partial<ConnectionLimits>;
}

/**
 * Everything that a program puts between the network and its handlers: bounds on connections and unfinished requests,
 * one request at a time on each connection, and the error envelope for what no handler ever sees. All servers of a
 * program share one surface, because they share the descriptors.
 */
export class HttpSurface {
  private readonly limits: ConnectionLimits;
  private readonly connections: Connections;
  private readonly early: EarlyHeaders;
  private readonly observers: AnswerObserver[] = [];

  constructor(private readonly options: SurfaceOptions) {
    this.limits = { ...defaultLimits(), ...options.limits };
    this.connections = new Connections(this.limits);
    this.early = options.early ?? (() => ({}));
  }

  /** A server that hands what it admits to `handle`. */
  createServer(handle: Handler, { admit = () => null, allowedMethods = () => [] }: ServerRules = {}): Server {
    const { limits } = this;
    const server = createServer({
      // Checked by `hostProblem`, which answers in the envelope.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    });
    server.timeout = limits.unreadTimeoutMs;
    const options = { mostWaiting: limits.mostWaiting, early: this.early, handle };
    const take = (request: IncomingMessage, response: ServerResponse, refusal: ApiError | null): void =>
      this.connections.of(request.socket)?.take({ request, response, refusal });
    server.on('connection', (socket) => {
      const connection = new Connection(socket, options);
      this.connections.add(socket, connection);
      readInParts(socket, () => connection.isOver);
    });
    server.on('request', (request, response) => take(request, response, hostProblem(request) ?? admit(request)));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      take(request, response, validationError({ field: 'Expect', problem: 'can only be 100-continue' })),
    );
    server.on('connect', ({ headers }, socket: Socket) => {
      this.connections.of(socket)?.fail(earlyAnswer(methodNotAllowed('CONNECT', []), headers, this.early));
    });
    server.on('clientError', (error: ParserError, socket: Socket) => {
      const failure = parserFailure(error, allowedMethods);
      this.connections.of(socket)?.fail(earlyAnswer(failure, headersOfPacket(error), this.early));
    });
    server.on('timeout', (socket: Socket) => this.connections.of(socket)?.stalled());
    return server;
  }

  /** Options for a Fastify application whose server this is. */
  fastifyOptions(rules: ServerRules = {}) {
    return {
      serverFactory: (handle: Handler) => this.createServer(handle, rules),
      // The server has its own listener.
      clientErrorHandler: () => undefined,
      frameworkErrors: answerFrameworkErrors(this.early, this.observers),
    };
  }

  /** Calls the observers after each answer to a path that the router cannot read: no hook runs for those. */
  observeRouterErrors(...observers: readonly AnswerObserver[]): void {
    this.observers.push(...observers);
  }

  /** Closes connections when the application does: {@link close}. */
  closeWith(fastify: FastifyInstance): void {
    let unread: Timer | null = null;
    fastify.addHook('preClose', (done) => {
      unread = this.close();
      done();
    });
    fastify.addHook('onClose', (_instance, done) => {
      unread?.cancel();
      done();
    });
  }

  /** Shutdown: unfinished requests end now, complete ones are answered, and no client delays the end by not reading. */
  close(): Timer {
    for (const connection of this.connections.all()) connection.close();
    return this.options.clock.setTimer(this.limits.closeGraceMs, () => {
      for (const connection of this.connections.all()) connection.closeUnread();
    });
  }
}

/** A request names its host exactly once (RFC 9112 §3.2). */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): ApiError | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null;
  return validationError({ field: 'Host', problem: hosts === 0 ? 'is required' : 'must be given once' });
}
