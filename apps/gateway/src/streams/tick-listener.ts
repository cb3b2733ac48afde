import type { StreamConnection } from './stream-connection';
import { StreamBatch, type StreamFrame } from './stream-frame';

/** New frames of one poll, by symbol, and together for listeners that keep up. */
export interface TickFrames {
  readonly bySymbol: ReadonlyMap<string, StreamFrame>;
  readonly batch: StreamBatch;
}

/**
 * One listener of ticks. While its connection is blocked, it keeps only the newest tick of each symbol, so it skips
 * forward and never holds more than one frame per symbol.
 */
export class TickListener {
  private readonly waiting = new Map<string, StreamFrame>();

  constructor(readonly connection: StreamConnection) {
    connection.whenReady(() => this.flush());
  }

  offer(frames: TickFrames): void {
    if (this.connection.isReady && this.waiting.size === 0) {
      this.connection.write(frames.batch);
      return;
    }
    for (const [symbol, frame] of frames.bySymbol) {
      this.waiting.set(symbol, frame);
      this.connection.passBy(frame.sseBytes.length);
    }
  }

  private flush(): void {
    if (this.waiting.size === 0) return;
    const newest = new StreamBatch([...this.waiting.values()]);
    this.waiting.clear();
    this.connection.write(newest);
  }
}
