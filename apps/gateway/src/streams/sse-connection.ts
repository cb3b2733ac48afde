import type { ServerResponse } from 'node:http';
import type { Clock } from '@libs/clock';

/** One listener's connection: knows whether more may be written now, and keeps nothing itself. */
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
    // A listener that goes away is no error of ours.
    raw.on('error', () => undefined);
  }

  /** False while the listener has not taken what it was sent. */
  get isReady(): boolean {
    return this.blockedSinceMs === null && this.isOpen;
  }

  get isOpen(): boolean {
    return !this.raw.destroyed && !this.raw.writableEnded;
  }

  /** Milliseconds for which the listener has taken nothing of what waits for it. */
  get blockedMs(): number {
    return this.blockedSinceMs === null ? 0 : this.clock.monotonicMs() - this.blockedSinceMs;
  }

  write(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (!this.raw.write(bytes)) this.blockedSinceMs ??= this.clock.monotonicMs();
  }

  /** Calls back when a listener that was blocked can take more. */
  whenReady(ready: () => void): void {
    this.onReady.add(ready);
  }

  /** Calls back when the connection is gone, also when it was gone before anybody asked. */
  whenClosed(closed: () => void): void {
    if (this.raw.closed) queueMicrotask(closed);
    else this.raw.once('close', closed);
  }

  /** Ends the stream in order. */
  end(): void {
    if (this.isOpen) this.raw.end();
  }

  /** Cuts the connection; what waits for it is dropped. */
  cut(): void {
    this.raw.destroy();
  }
}
