import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock } from '@libs/clock';
import type { StreamWire } from './stream-connection';
import { StreamFrame, type StreamBatch } from './stream-frame';

/** Close codes (RFC 6455 §7.4.1). */
const goingAway = 1_001;
const policyViolation = 1_008;

const asText = { binary: false } as const;
const heartbeat = new StreamFrame({ event: 'heartbeat', data: {} });

/**
 * Text messages of a WebSocket (RFC 6455), each one frame with one event. Its heartbeat is a message, because pages do not see
 * pings, and a ping, because a client that hangs does not answer it. The client sends nothing but pongs, pings and its close.
 */
export class WebSocketWire implements StreamWire {
  private pingedSinceMs: number | null = null;

  constructor(
    readonly carrier: Socket,
    private readonly socket: WebSocket,
    private readonly clock: Clock,
  ) {
    socket.on('pong', () => (this.pingedSinceMs = null));
    socket.on('message', () => socket.close(policyViolation, 'a stream accepts no messages'));
    // It has answered a faulty frame with its close code.
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  get silentMs(): number {
    return this.pingedSinceMs === null ? 0 : this.clock.monotonicMs() - this.pingedSinceMs;
  }

  write({ frames }: StreamBatch): void {
    this.carrier.cork();
    for (const { text } of frames) this.socket.send(text, asText);
    this.carrier.uncork();
  }

  heartbeat(): void {
    this.pingedSinceMs ??= this.clock.monotonicMs();
    this.socket.send(heartbeat.text, asText);
    this.socket.ping();
  }

  end(): void {
    this.socket.close(goingAway, 'the gateway is stopping');
  }
}
