import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '@libs/clock';
import { LastErrorCode } from '../last-error';
import type { TerminalClient, Unsubscribe } from '../terminal-client';
import { CallLane } from './call-lane';
import { callTerminal, errorOf } from './link-calls';
import {
  errorLine,
  type Greeting,
  isObject,
  type LinkErrorKind,
  type LinkMessage,
  linkProtocol,
  type LinkRequest,
  maxLineBytes,
  notificationLine,
  resultLine,
} from './link-protocol';
import type { Interruption, LinkServerOptions } from './link-server-options';
import { LinkSocket } from './link-socket';

const helloTimeoutMs = 10_000;
const defaultMaxWaiting = 256;

/** One connection at the server side. */
export class LinkPeer {
  private readonly link: LinkSocket;
  private readonly lane: CallLane;
  private readonly helloTimer: Timer;
  private terminal: TerminalClient | null = null;
  private unsubscribe: Unsubscribe | null = null;

  constructor(
    socket: Socket,
    private readonly options: LinkServerOptions,
    private readonly terminals: () => TerminalClient,
    clock: Clock,
    private readonly onClosed: () => void,
  ) {
    this.lane = new CallLane(clock, options.maxWaiting ?? defaultMaxWaiting);
    this.helloTimer = clock.setTimer(helloTimeoutMs, () => this.link.close('no greeting in time'));
    this.link = new LinkSocket(
      socket,
      clock,
      { message: (message) => this.take(message), closed: () => this.end() },
      null,
    );
  }

  close(reason: string): void {
    this.link.close(reason);
  }

  private end(): void {
    this.helloTimer.cancel();
    this.lane.clear();
    this.unsubscribe?.();
    this.onClosed();
  }

  private take(message: LinkMessage): void {
    if (message.type !== 'request') return;
    if (this.terminal === null) this.greet(message);
    else if (message.method === 'ping') this.link.write(resultLine(message.id, 'pong'));
    else this.queue(message, this.terminal);
  }

  private greet({ id, method, params }: LinkRequest): void {
    const token = isObject(params) && typeof params['token'] === 'string' ? params['token'] : '';
    if (method !== 'hello' || !sameSecret(token, this.options.token)) {
      const said = { code: LastErrorCode.AUTH_FAILED, message: 'not authorised' };
      return this.link.closeAfter(errorLine(id, 'unauthorised', said), 'not authorised');
    }
    if (!isObject(params) || params['protocol'] !== linkProtocol) {
      const said = { code: LastErrorCode.INVALID_VERSION, message: `this side speaks protocol ${linkProtocol}` };
      return this.link.closeAfter(errorLine(id, 'protocol', said), 'another protocol');
    }
    this.helloTimer.cancel();
    const terminal = this.terminals();
    this.terminal = terminal;
    this.unsubscribe = terminal.onLink((event) => this.link.write(notificationLine('connection', event)));
    const login = this.options.login?.() ?? null;
    const greeting: Greeting = {
      driver: this.options.driver,
      build: this.options.build,
      ...(login === null ? {} : { login }),
    };
    this.link.write(resultLine(id, greeting));
  }

  private queue(request: LinkRequest, terminal: TerminalClient): void {
    const { id, method, params } = request;
    const extension = this.extension(method);
    // Extensions control the server itself, so they must work while the terminal hangs or the link is interrupted.
    if (extension) return void this.answer(id, () => extension(Array.isArray(params) ? params : []), null);
    if (this.options.extensionsOnly) {
      const said = { code: LastErrorCode.UNSUPPORTED, message: 'there is no such method' };
      return this.link.write(errorLine(id, 'protocol', said));
    }
    const interruption = this.options.interrupt?.(method) ?? null;
    if (interruption === 'close-before') return this.link.close('interrupted');
    const isSend = method === 'orderSend';
    const maxWaitMs: unknown = isSend && Array.isArray(params) ? params[2] : undefined;
    this.lane.push({
      kind: isSend ? 'send' : 'read',
      ...(typeof maxWaitMs === 'number' ? { maxWaitMs } : {}),
      run: () => this.answer(id, () => callTerminal(terminal, method, params), interruption),
      drop: (why) => this.refuse(id, isSend && why === 'expired' ? 'refused' : 'busy', why),
    });
  }

  private async answer(id: number, run: () => Promise<unknown>, interruption: Interruption | null): Promise<void> {
    let line: string;
    try {
      line = this.checkedLine(id, await run());
    } catch (error) {
      const failure = errorOf(error);
      line = errorLine(id, failure.kind, failure);
    }
    if (interruption === 'close-after') this.link.close('interrupted');
    else if (interruption === null) this.link.write(line);
  }

  private checkedLine(id: number, result: unknown): string {
    const line = resultLine(id, result);
    if (Buffer.byteLength(line) <= (this.options.maxAnswerBytes ?? maxLineBytes)) return line;
    return errorLine(id, 'failed', { code: LastErrorCode.NO_MEMORY, message: 'the answer is too large; ask for less' });
  }

  private refuse(id: number, kind: LinkErrorKind, why: 'busy' | 'expired'): void {
    const message = why === 'busy' ? 'too many calls are waiting' : 'the deadline passed before the call began';
    this.link.write(errorLine(id, kind, { code: LastErrorCode.FAIL, message }));
  }

  private extension(method: string): ((params: readonly unknown[]) => Promise<unknown>) | undefined {
    const { extensions } = this.options;
    return extensions && Object.hasOwn(extensions, method) ? extensions[method] : undefined;
  }
}

/** In constant time for any lengths. */
function sameSecret(given: string, wanted: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
