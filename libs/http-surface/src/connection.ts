import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, validationError } from '@libs/envelope';
import { ConnectionReading } from './connection-reading';
import type { Crowd } from './crowd';
import { asBytes, earlyAnswer, refuse, type EarlyAnswer, type EarlyHeaders } from './early-answer';

/** One request with its answer, as the parser delivers them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Why the request must not reach a handler; null if it may. */
  readonly refusal: ApiError | null;
}

/**
 * Turns of the event loop reserved for a request with the credential. A halt takes about a dozen, because it writes two
 * files.
 */
const turnsOfRequest = 20;

interface ConnectionOptions {
  readonly mostWaiting: number;
  readonly early: EarlyHeaders;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether the request carries the credential. */
  readonly holdsCredential: (request: IncomingMessage) => boolean;
  /** Schedules the requests without the credential; shared by all connections. */
  readonly crowd: Crowd;
}

/**
 * The requests of one connection. They start one after the other, with the event loop free between them, so that a
 * burst on one connection does not delay the others. Node's own server starts all requests of one packet at once.
 */
export class Connection {
  private readonly reading: ConnectionReading;
  /** From now on, incoming data is not a request. */
  private isOver = false;
  private current: Exchange | null = null;
  private readonly waiting: Exchange[] = [];
  /** The last answer on this connection, after which it ends. */
  private last: EarlyAnswer | null = null;
  private isClosing = false;
  private isAuthenticated = false;
  /** Whether a request arrived before the answer to the previous one. */
  private isPipelined = false;
  private onAuthenticated: () => void = () => undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    this.reading = new ConnectionReading(socket, () => this.isOver);
  }

  /** Calls back with the first request that carries the credential. */
  whenAuthenticated(known: () => void): void {
    this.onAuthenticated = known;
  }

  /** Whether no request is in progress. */
  get isIdle(): boolean {
    return this.current === null;
  }

  take(exchange: Exchange): void {
    if (this.isOver || this.socket.destroyed) return;
    if (this.current === null) return this.begin(exchange);
    this.isPipelined = true;
    this.reading.inParts();
    if (this.waiting.length < this.options.mostWaiting) this.waiting.push(exchange);
    else this.overflow();
  }

  /**
   * Ends the connection after a request that the parser could not finish. Earlier requests are answered first, because
   * a client reads answers in order and would take this one for theirs.
   */
  fail(answer: EarlyAnswer): void {
    if (this.isOver || this.socket.destroyed) return;
    this.end();
    if (this.waiting.at(-1)?.request.complete === false) this.waiting.pop();
    if (this.current?.request.complete === true) {
      this.last = answer;
      return;
    }
    const isSilent = this.socket.bytesRead === 0 || this.current?.response.headersSent === true;
    if (!isSilent && this.socket.writable) this.socket.write(asBytes(answer));
    this.socket.destroy();
  }

  /**
   * Ends HTTP on this connection after the request in progress. The caller answers that request on the socket, which nothing
   * reads until it does.
   * @throws ApiError validation_error if the client has sent another request meanwhile; request_timeout if it is gone
   */
  takeSocket(): Socket {
    const { socket, current } = this;
    if (socket.destroyed || !socket.writable || !socket.readable) throw new ApiError('request_timeout', 'disconnected');
    if (!current || this.isOver || this.waiting.length > 0) {
      throw validationError({
        field: 'request',
        problem: 'must not be followed by another before the upgrade is answered',
      });
    }
    this.end();
    current.response.detachSocket(socket);
    // Those of Node's server: its parser, and its end of a half-open connection.
    for (const event of ['data', 'end', 'drain', 'timeout']) socket.removeAllListeners(event);
    return socket;
  }

  /** Called after a period without progress. Only a slow client is disconnected, not a slow handler. */
  stalled(): void {
    const response = this.current?.response;
    if (!response || response.writableEnded || response.writableNeedDrain) this.socket.destroy();
  }

  /** Shutdown: complete requests are answered, all others end now. */
  close(): void {
    this.isClosing = true;
    if (this.current?.request.complete !== true) return void this.socket.destroy();
    if (!this.isAuthenticated && this.current.response.writableEnded) return void this.socket.destroy();
    if (this.waiting.at(-1)?.request.complete === false) this.waiting.pop();
  }

  /** Shutdown after a grace period: no longer waits for complete answers to be read. */
  closeUnread(): void {
    if (this.current?.response.writableEnded !== false) this.socket.destroy();
  }

  /** Ends the connection unconditionally, to make room. */
  evict(): void {
    this.end();
    this.socket.destroy();
  }

  /** Nothing that arrives from now on reaches the parser. */
  private end(): void {
    this.isOver = true;
    this.reading.inParts();
  }

  private begin(exchange: Exchange): void {
    this.current = exchange;
    const { request, response } = exchange;
    // Emitted once; `once` would cost a wrapper for each request.
    response.on('close', () => this.finished());
    if (!this.isAuthenticated && this.options.holdsCredential(request)) {
      this.isAuthenticated = true;
      this.onAuthenticated();
    }
    if (this.isAuthenticated) {
      this.options.crowd.makeWay(turnsOfRequest);
      return this.handle(exchange);
    }
    this.options.crowd.requests.take(() => {
      if (!this.socket.destroyed) this.handle(exchange);
    });
  }

  private handle({ request, response, refusal }: Exchange): void {
    if (refusal === null) this.options.handle(request, response);
    else refuse(response, earlyAnswer(refusal, request.headers, this.options.early));
  }

  private finished(): void {
    const next = this.waiting.shift();
    if (this.socket.destroyed) {
      this.waiting.length = 0;
      this.current = null;
    } else if (next) {
      // Queued at once and started in the next turn of the loop, so that no later request can overtake it.
      this.current = next;
      setImmediate(() => this.begin(next));
    } else {
      this.current = null;
      if (this.last) this.socket.write(asBytes(this.last));
      if (this.last ?? this.isClosing) this.socket.destroySoon();
      // A client with the credential that waits for each answer cannot send many requests in one read.
      else if (this.isAuthenticated && !this.isPipelined) this.reading.directly();
    }
  }

  /**
   * More requests than a connection may have. The one in progress is answered; the next is rejected and ends the
   * connection, and the rest is dropped unread. Without a credential, the connection is cut.
   */
  private overflow(): void {
    this.end();
    if (!this.isAuthenticated) return void this.socket.destroy();
    this.socket.pause();
    const [next] = this.waiting.splice(0);
    if (next) this.waiting.push({ ...next, refusal: tooMany(this.options.mostWaiting) });
  }
}

function tooMany(mostWaiting: number): ApiError {
  return new ApiError(
    'too_many_requests',
    `more than ${mostWaiting} requests are waiting on this connection; this request and the following ones were not processed`,
    { headers: { 'retry-after': '1' } },
  );
}
