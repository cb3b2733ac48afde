import { connect } from 'node:net';
import type { Clock, Timer } from '@libs/clock';
import { LastErrorCode, type LastError, type TerminalFailure } from '../last-error';
import {
  type Greeting,
  isObject,
  type LinkAnswer,
  type LinkError,
  linkProtocol,
  type LinkNotification,
  requestLine,
} from './link-protocol';
import { LinkSocket } from './link-socket';

/** The outcome of one call. The distinction between the last two is essential: see `orderSend`. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: LinkError }
  /** The request never left this process. */
  | { readonly kind: 'not-sent'; readonly failure: TerminalFailure; readonly lastError: LastError }
  /** It was written, and no answer arrived. */
  | { readonly kind: 'no-answer'; readonly failure: TerminalFailure; readonly lastError: LastError };

type AnswerOutcome = Extract<CallOutcome, { readonly kind: 'result' | 'error' }>;

export interface CallOptions {
  readonly deadlineMs: number;
  /** Sends are written at once; reads queue, so that few are ever ahead of a send. */
  readonly lane: 'read' | 'send';
  /** Receives an answer to this call that arrived after the deadline, over the same connection. */
  readonly onLate?: (outcome: AnswerOutcome) => void;
}

export interface LinkTarget {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

interface Call {
  readonly id: number;
  readonly line: string;
  readonly options: CallOptions;
  readonly settle: (outcome: CallOutcome) => void;
  timer: Timer;
}

/** Reads on the wire at the same time; further ones wait here. */
const readWindow = 16;
/** Beyond this many waiting reads, a read fails at once because the link is busy. */
const maxWaitingReads = 256;
const maxLateCalls = 1_000;

/** One connection to the peer, from `hello` to its end. It is never reopened; a new one replaces it. */
export class LinkConnection {
  private readonly written = new Map<number, Call>();
  private readonly waiting: Call[] = [];
  private readonly late = new Map<number, (outcome: AnswerOutcome) => void>();
  private readsOnWire = 0;
  private nextId = 1;
  private readonly link: LinkSocket;

  private constructor(
    socket: ReturnType<typeof connect>,
    private readonly clock: Clock,
    private readonly onNotification: (notification: LinkNotification) => void,
    private readonly onClosed: (connection: LinkConnection, lastError: LastError) => void,
  ) {
    this.link = new LinkSocket(
      socket,
      clock,
      {
        message: (message) => {
          if (message.type === 'answer') this.takeAnswer(message);
          else if (message.type === 'notification') this.onNotification(message);
        },
        closed: (reason) => this.takeEnd(reason),
      },
      () => requestLine(this.nextId++, 'ping', []),
    );
  }

  /**
   * Opens a connection and sends the greeting. Rejects with a {@link LastError} shape instead of an outcome; never
   * hangs.
   */
  static async open(
    target: LinkTarget,
    timeoutMs: number,
    clock: Clock,
    onNotification: (notification: LinkNotification) => void,
    onClosed: (connection: LinkConnection, lastError: LastError) => void,
  ): Promise<LinkConnection | LastError> {
    const socket = connect({ host: target.host, port: target.port });
    const connected = await new Promise<LastError | null>((resolve) => {
      const timer = clock.setTimer(timeoutMs, () => resolve(connectError('no connection in time')));
      socket.once('connect', () => resolve(null));
      socket.once('error', (error) => resolve(connectError(error.message)));
      socket.once('close', () => timer.cancel());
      socket.once('connect', () => timer.cancel());
    });
    if (connected !== null) {
      socket.on('error', () => undefined);
      socket.destroy();
      return connected;
    }
    const connection = new LinkConnection(socket, clock, onNotification, onClosed);
    const hello = await connection.call(
      'hello',
      { token: target.token, protocol: linkProtocol },
      {
        deadlineMs: timeoutMs,
        lane: 'send',
      },
    );
    if (hello.kind === 'result' && isGreeting(hello.result)) return connection;
    connection.close('no greeting');
    return hello.kind === 'result' ? connectError('the other side sent no greeting') : lastErrorOf(hello);
  }

  get isOpen(): boolean {
    return this.link.isOpen;
  }

  call(method: string, params: unknown, options: CallOptions): Promise<CallOutcome> {
    if (!this.link.isOpen) return Promise.resolve(notSent('disconnected', connectError('the link is down')));
    const queued = options.lane === 'read' && this.readsOnWire >= readWindow;
    if (queued && this.waiting.length >= maxWaitingReads) {
      return Promise.resolve(notSent('busy', { code: LastErrorCode.FAIL, message: 'too many reads are waiting' }));
    }
    return new Promise((settle) => {
      const id = this.nextId++;
      const timer = this.clock.setTimer(options.deadlineMs, () => this.expire(call));
      const call: Call = { id, line: requestLine(id, method, params), options, settle, timer };
      if (queued) this.waiting.push(call);
      else this.write(call);
    });
  }

  close(reason: string): void {
    this.link.close(reason);
  }

  private write(call: Call): void {
    this.written.set(call.id, call);
    if (call.options.lane === 'read') this.readsOnWire += 1;
    this.link.write(call.line);
  }

  private takeAnswer({ id, outcome }: LinkAnswer): void {
    if (id === null) return;
    const answer: AnswerOutcome =
      'result' in outcome ? { kind: 'result', result: outcome.result } : { kind: 'error', error: outcome.error };
    const onLate = this.late.get(id);
    if (onLate) {
      this.late.delete(id);
      return onLate(answer);
    }
    const call = this.written.get(id);
    if (call) this.finish(call, answer);
  }

  private expire(call: Call): void {
    const place = this.waiting.indexOf(call);
    if (place !== -1) {
      this.waiting.splice(place, 1);
      return call.settle(notSent('timeout', timeoutError));
    }
    if (call.options.onLate && this.late.size < maxLateCalls) this.late.set(call.id, call.options.onLate);
    this.finish(call, { kind: 'no-answer', failure: 'timeout', lastError: timeoutError });
  }

  private finish(call: Call, outcome: CallOutcome): void {
    this.written.delete(call.id);
    call.timer.cancel();
    if (call.options.lane === 'read') {
      this.readsOnWire -= 1;
      const next = this.link.isOpen ? this.waiting.shift() : undefined;
      if (next) this.write(next);
    }
    call.settle(outcome);
  }

  private takeEnd(reason: string): void {
    const lastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: `the link is down: ${reason}` };
    for (const call of this.waiting.splice(0)) {
      call.timer.cancel();
      call.settle(notSent('disconnected', lastError));
    }
    for (const call of [...this.written.values()]) {
      this.finish(call, { kind: 'no-answer', failure: 'disconnected', lastError });
    }
    this.late.clear();
    this.onClosed(this, lastError);
  }
}

const timeoutError: LastError = { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT, message: 'no answer before the deadline' };

function connectError(message: string): LastError {
  return { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message };
}

function notSent(failure: TerminalFailure, lastError: LastError): CallOutcome {
  return { kind: 'not-sent', failure, lastError };
}

function lastErrorOf(outcome: Exclude<CallOutcome, { kind: 'result' }>): LastError {
  return outcome.kind === 'error' ? { code: outcome.error.code, message: outcome.error.message } : outcome.lastError;
}

function isGreeting(value: unknown): value is Greeting {
  return isObject(value) && typeof value['driver'] === 'string' && typeof value['build'] === 'number';
}
