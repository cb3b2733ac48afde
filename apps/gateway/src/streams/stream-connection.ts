import type { Writable } from 'node:stream';
import type { Clock } from '@libs/clock';
import type { StreamBatch } from './stream-frame';

/** The protocol between a stream and one listener. */
export interface StreamWire {
  /** What the bytes are written to. */
  readonly carrier: Writable;
  /** False once nothing more may be sent, even if the carrier is still open. */
  readonly isOpen: boolean;
  /** Milliseconds since the first heartbeat that the listener has not answered; 0 if its protocol has no answers. */
  readonly silentMs: number;
  write(batch: StreamBatch): void;
  /** A message that carries no event. */
  heartbeat(): void;
  /** Ends the stream in order. */
  end(): void;
}

/** Bytes of events that may pass a listener by while it does not read; then it is disconnected, and can reconnect with its last id. */
const mostPassedBytes = 8 * 1_024 * 1_024;

/** One listener's connection. It reports whether more can be written now, and buffers nothing itself. */
export class StreamConnection {
  private blockedSinceMs: number | null = null;
  private passedBytes = 0;
  private readonly onReady = new Set<() => void>();

  constructor(
    private readonly wire: StreamWire,
    private readonly clock: Clock,
    private readonly limitBytes = mostPassedBytes,
  ) {
    wire.carrier.on('drain', () => {
      this.blockedSinceMs = null;
      this.passedBytes = 0;
      for (const ready of this.onReady) ready();
    });
    // A disconnected listener is not an error.
    wire.carrier.on('error', () => undefined);
  }

  /** False while the listener has not read everything that was sent. */
  get isReady(): boolean {
    return this.blockedSinceMs === null && this.isOpen;
  }

  get isOpen(): boolean {
    const { carrier, isOpen } = this.wire;
    return isOpen && !carrier.destroyed && !carrier.writableEnded;
  }

  /** Milliseconds since the listener last read while data waits for it, or since a heartbeat that it has not answered. */
  get blockedMs(): number {
    const unreadMs = this.blockedSinceMs === null ? 0 : this.clock.monotonicMs() - this.blockedSinceMs;
    return Math.max(unreadMs, this.wire.silentMs);
  }

  write(batch: StreamBatch): void {
    if (!this.isOpen) return;
    this.wire.write(batch);
    this.noteBlocked();
  }

  heartbeat(): void {
    if (!this.isOpen) return;
    this.wire.heartbeat();
    this.noteBlocked();
  }

  /** Counts an event that was not sent because the listener does not read, and disconnects a listener that reads too little. */
  passBy(bytes: number): void {
    if (this.blockedSinceMs === null) return;
    this.passedBytes += bytes;
    if (this.passedBytes > this.limitBytes) this.cut();
  }

  /** Calls back when a blocked listener can receive more. */
  whenReady(ready: () => void): void {
    this.onReady.add(ready);
  }

  /** Calls back when the connection is closed; at once if it is already closed. */
  whenClosed(closed: () => void): void {
    if (this.wire.carrier.closed) queueMicrotask(closed);
    else this.wire.carrier.once('close', closed);
  }

  /** Ends the stream in order. */
  end(): void {
    if (this.isOpen) this.wire.end();
  }

  /** Cuts the connection; unsent data is dropped. */
  cut(): void {
    this.wire.carrier.destroy();
  }

  private noteBlocked(): void {
    if (this.wire.carrier.writableNeedDrain) this.blockedSinceMs ??= this.clock.monotonicMs();
  }
}
