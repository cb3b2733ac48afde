import type { Socket } from 'node:net';
import type { Clock, Timer } from '@libs/clock';
import { LineReader } from './line-reader';
import { type LinkMessage, maxLineBytes, missedPingsAllowed, parseMessage, pingPeriodMs } from './link-protocol';

/** A peer that leaves more than this unread is disconnected; one complete line always fits. */
const maxUnsentBytes = 2 * maxLineBytes;

export interface LinkSocketEvents {
  message(message: LinkMessage): void;
  /** Called once, for any cause; nothing follows it. */
  closed(reason: string): void;
}

/** A socket for lines of the protocol that detects a silent peer and bounds its buffers. */
export class LinkSocket {
  private open = true;
  private heard = true;
  private missedPings = 0;
  private readonly heartbeat: Timer;

  constructor(
    private readonly socket: Socket,
    clock: Clock,
    private readonly events: LinkSocketEvents,
    /** The line to send each period; the server only listens. */
    ping: (() => string) | null,
  ) {
    socket.setNoDelay(true);
    const lines = new LineReader(maxLineBytes, (line) => this.takeLine(line));
    socket.on('data', (chunk) => {
      this.heard = true;
      if (this.open && !lines.push(chunk)) this.close('the peer sent a line that is too long');
    });
    socket.on('error', (error) => this.close(error.message));
    socket.on('close', () => this.close('the peer closed the connection'));
    this.heartbeat = clock.every(pingPeriodMs, () => this.beat(ping));
  }

  get isOpen(): boolean {
    return this.open && this.socket.writable;
  }

  /** Passes a line to the network. After that, it may reach the peer in any case. */
  write(line: string): void {
    if (!this.open) return;
    this.socket.write(line);
    if (this.socket.writableLength > maxUnsentBytes) this.close('the peer does not read');
  }

  /** Sends a last line and closes. */
  closeAfter(line: string, reason: string): void {
    if (!this.open) return;
    this.finish(reason);
    this.socket.end(line, () => this.socket.destroy());
  }

  close(reason: string): void {
    if (!this.open) return;
    this.finish(reason);
    this.socket.destroy();
  }

  private finish(reason: string): void {
    this.open = false;
    this.heartbeat.cancel();
    this.events.closed(reason);
  }

  private takeLine(line: string): void {
    // The rest of a chunk may still hold lines after one that closed the connection.
    if (!this.open) return;
    const message = parseMessage(line);
    if (message === null) this.close('the peer sent something that is not a message');
    else this.events.message(message);
  }

  private beat(ping: (() => string) | null): void {
    this.missedPings = this.heard ? 0 : this.missedPings + 1;
    this.heard = false;
    if (this.missedPings >= missedPingsAllowed) this.close('the peer is silent');
    else if (ping) this.write(ping());
  }
}
