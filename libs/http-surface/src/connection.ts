import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '@libs/envelope';
import { asBytes, earlyAnswer, refuse, type EarlyAnswer, type EarlyHeaders } from './early-answer';

/** One request with its answer, as the parser delivers them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Why no handler may see the request; null when one may. */
  readonly refusal: ApiError | null;
}

interface ConnectionOptions {
  readonly mostWaiting: number;
  readonly early: EarlyHeaders;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * The requests of one connection. They are begun one after the other, with the event loop free between them, so that a
 * burst on one connection does not hold up the others. Node's own server begins all that arrive in one packet at once.
 */
export class Connection {
  isAuthenticated = false;
  /** Nothing that arrives from now on is a request. */
  isOver = false;
  private current: Exchange | null = null;
  private readonly waiting: Exchange[] = [];
  /** The last answer on this connection, after which it ends. */
  private last: EarlyAnswer | null = null;
  private isClosing = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {}

  /** No request is in progress. */
  get isIdle(): boolean {
    return this.current === null;
  }

  take(exchange: Exchange): void {
    if (this.isOver || this.socket.destroyed) return;
    if (this.current === null) this.begin(exchange);
    else if (this.waiting.length < this.options.mostWaiting) this.waiting.push(exchange);
    else this.overflow();
  }

  /**
   * Ends the connection after a request that the parser could not finish. The requests before it are answered first:
   * a client reads answers in order, and would take this one for theirs.
   */
  fail(answer: EarlyAnswer): void {
    if (this.isOver || this.socket.destroyed) return;
    this.isOver = true;
    if (this.waiting.at(-1)?.request.complete === false) this.waiting.pop();
    if (this.current?.request.complete === true) {
      this.last = answer;
      return;
    }
    const isSilent = this.socket.bytesRead === 0 || this.current?.response.headersSent === true;
    if (!isSilent && this.socket.writable) this.socket.write(asBytes(answer));
    this.socket.destroy();
  }

  /** No progress was seen for a while. A handler may take its time, a client may not. */
  stalled(): void {
    const response = this.current?.response;
    if (!response || response.writableEnded || response.writableNeedDrain) this.socket.destroy();
  }

  /** Shutdown: what is complete is answered, everything else ends now. */
  close(): void {
    this.isClosing = true;
    if (this.current?.request.complete !== true) return void this.socket.destroy();
    if (!this.isAuthenticated && this.current.response.writableEnded) return void this.socket.destroy();
    if (this.waiting.at(-1)?.request.complete === false) this.waiting.pop();
  }

  /** Shutdown, after a while: an answer that is complete is not waited for any longer. */
  closeUnread(): void {
    if (this.current?.response.writableEnded !== false) this.socket.destroy();
  }

  /** Ends the connection to make room, whatever is on it. */
  evict(): void {
    this.isOver = true;
    this.socket.destroy();
  }

  private begin(exchange: Exchange): void {
    this.current = exchange;
    const { request, response, refusal } = exchange;
    response.once('close', () => this.finished());
    if (refusal === null) this.options.handle(request, response);
    else refuse(response, earlyAnswer(refusal, request.headers, this.options.early));
  }

  private finished(): void {
    const next = this.waiting.shift();
    if (this.socket.destroyed) {
      this.waiting.length = 0;
      this.current = null;
    } else if (next) {
      // Taken at once, begun in the next turn of the loop: nothing that arrives in between may overtake it.
      this.current = next;
      setImmediate(() => this.begin(next));
    } else {
      this.current = null;
      if (this.last) this.socket.write(asBytes(this.last));
      if (this.last ?? this.isClosing) this.socket.destroySoon();
    }
  }

  /**
   * More requests than a connection may have. The one in progress is answered, the next is refused and ends the
   * connection, and the rest is dropped unread. Without a credential the connection is cut.
   */
  private overflow(): void {
    this.isOver = true;
    this.socket.pause();
    const [next] = this.waiting.splice(0);
    if (next) this.waiting.push({ ...next, refusal: tooMany(this.options.mostWaiting) });
    // The guards of the first request may not have run yet.
    setImmediate(() => {
      if (!this.isAuthenticated) this.socket.destroy();
    });
  }
}

function tooMany(mostWaiting: number): ApiError {
  return new ApiError(
    'too_many_requests',
    `more than ${mostWaiting} requests wait on this connection: nothing was done for this one and those behind it`,
    { headers: { 'retry-after': '1' } },
  );
}
