import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock, Timer } from '@libs/clock';
import { validationError, type ApiError } from '@libs/envelope';
import { Connection } from './connection';
import { defaultLimits, type ConnectionLimits } from './connection-limits';
import { Connections } from './connections';
import { Crowd } from './crowd';
import { earlyAnswer, type EarlyHeaders } from './early-answer';
import { answerFrameworkErrors, type AnswerObserver } from './framework-errors';
import { headersOfPacket, methodNotAllowed, parserFailure, type ParserError } from './parser-errors';
import { keepTickShape } from './tick-shape';

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Hijacks the answer and hands over the socket of the request, on which nothing was written: see {@link Connection.takeSocket}.
     * Only with {@link HttpSurface.lendSockets}.
     * @param status the one that the caller answers with, for the access log and the metrics
     */
    takeSocket(status: number): Socket;
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The admission rules of one server. */
export interface ServerRules {
  /** Why a request must not be handled; null if it may. Called before any handler. */
  readonly admit?: (request: IncomingMessage) => ApiError | null;
  /** The methods that a path supports; empty if it does not exist. */
  readonly allowedMethods?: (path: string) => readonly string[];
  /** Whether a request has the credential, which gives it precedence. By default, none has. */
  readonly holdsCredential?: (request: IncomingMessage) => boolean;
}

export interface SurfaceOptions {
  readonly clock: Clock;
  /** Headers of answers for which no hook of the framework runs. */
  readonly early?: EarlyHeaders;
  readonly limits?: Partial<ConnectionLimits>;
}

/**
 * Everything between the network and a program's handlers: bounds on connections and unfinished requests, one request
 * at a time on each connection, and the error envelope for requests that reach no handler. All servers of a program
 * share one surface, because they share the descriptors.
 */
export class HttpSurface {
  private readonly limits: ConnectionLimits;
  private readonly connections: Connections;
  private readonly early: EarlyHeaders;
  private readonly observers: AnswerObserver[] = [];
  private readonly crowd = new Crowd();

  constructor(private readonly options: SurfaceOptions) {
    this.limits = { ...defaultLimits(), ...options.limits };
    this.connections = new Connections(this.limits, this.crowd);
    this.early = options.early ?? (() => ({}));
  }

  /** A server that passes admitted requests to `handle`. */
  createServer(handle: Handler, rules: ServerRules = {}): Server {
    const { admit = () => null, allowedMethods = () => [], holdsCredential = () => false } = rules;
    const { limits, crowd } = this;
    keepTickShape();
    const server = createServer({
      // Checked by `hostProblem`, which answers in the envelope.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    });
    server.timeout = limits.unreadTimeoutMs;
    const options = { mostWaiting: limits.mostWaiting, early: this.early, handle, holdsCredential, crowd };
    const take = (request: IncomingMessage, response: ServerResponse, refusal: ApiError | null): void =>
      this.connections.of(request.socket)?.take({ request, response, refusal });
    server.on('connection', (socket) => {
      const connection = new Connection(socket, options);
      this.connections.add(socket, connection);
    });
    server.on('request', (request, response) => take(request, response, hostProblem(request) ?? admit(request)));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      take(request, response, validationError({ field: 'Expect', problem: 'must be 100-continue' })),
    );
    server.on('connect', ({ headers, url }, socket: Socket) => {
      this.connections
        .of(socket)
        ?.fail(earlyAnswer(methodNotAllowed('CONNECT', allowedMethods(pathIn(url))), headers, this.early));
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
      // The parser limits the path already; a shorter limit would answer that there is no such route, instead of which value is wrong.
      routerOptions: { maxParamLength: maxHeaderSize },
      frameworkErrors: answerFrameworkErrors(this.early, this.observers),
    };
  }

  /** Lets handlers answer in another protocol: {@link FastifyReply.takeSocket}. */
  lendSockets(fastify: FastifyInstance): void {
    const { connections, observers } = this;
    fastify.decorateReply('takeSocket', function (this: FastifyReply, status: number): Socket {
      const connection = connections.of(this.request.raw.socket);
      if (!connection) throw new Error('the request is not from a connection of this server');
      const socket = connection.takeSocket();
      void this.hijack().code(status);
      for (const observe of observers) observe(this.request, this);
      return socket;
    });
  }

  /**
   * Calls the observers after each answer for which no hook runs: to a path that the router cannot parse, and of a handler that
   * takes the socket.
   */
  observeHookless(...observers: readonly AnswerObserver[]): void {
    this.observers.push(...observers);
  }

  /** Closes the connections together with the application: {@link close}. */
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

/** CONNECT is for an authority, but a path may be sent. */
function pathIn(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0] ?? '';
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
