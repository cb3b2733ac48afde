import type { ServerResponse } from 'node:http';
import type { Clock } from '@libs/clock';

/** One listener's connection. It reports whether more can be written now, and buffers nothing itself. */
export class SseConnection {
  private blockedSinceMs: number | null = null;
  private readonly onReady = new Set<() => void>();

  constructor(
    private readonly raw: ServerResponse,
    private readonly clock: Clock,
  ) {
    raw.on('drain', () => {
      this.blockedSinceMs = null;
      for (const ready of this.onReady) ready();
    });
    // A disconnected listener is not an error.
    raw.on('error', () => undefined);
  }

  /** False while the listener has not read everything that was sent. */
  get isReady(): boolean {
    return this.blockedSinceMs === null && this.isOpen;
  }

  get isOpen(): boolean {
    return !this.raw.destroyed && !this.raw.writableEnded;
  }

  /** Milliseconds since the listener last read, while data waits for it. */
  get blockedMs(): number {
    return this.blockedSinceMs === null ? 0 : this.clock.monotonicMs() - this.blockedSinceMs;
  }

  write(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (!this.raw.write(bytes)) this.blockedSinceMs ??= this.clock.monotonicMs();
  }

  /** Calls back when a blocked listener can receive more. */
  whenReady(ready: () => void): void {
    this.onReady.add(ready);
  }

  /** Calls back when the connection is closed; at once if it is already closed. */
  whenClosed(closed: () => void): void {
    if (this.raw.closed) queueMicrotask(closed);
    else this.raw.once('close', closed);
  }

  /** Ends the stream in order. */
  end(): void {
    if (this.isOpen) this.raw.end();
  }

  /** Cuts the connection; unsent data is dropped. */
  cut(): void {
    this.raw.destroy();
  }
}
