import type { SseConnection } from './sse-connection';

/** New frames of one poll, by symbol, and concatenated for listeners that keep up. */
export interface TickFrames {
  readonly bySymbol: ReadonlyMap<string, Buffer>;
  readonly joined: Buffer;
}

/**
 * One listener of ticks. While its connection is blocked, it keeps only the newest tick of each symbol, so it skips
 * forward and never holds more than one frame per symbol.
 */
export class TickListener {
  private readonly waiting = new Map<string, Buffer>();

  constructor(readonly connection: SseConnection) {
    connection.whenReady(() => this.flush());
  }

  offer(frames: TickFrames): void {
    if (this.connection.isReady && this.waiting.size === 0) {
      this.connection.write(frames.joined);
      return;
    }
    for (const [symbol, frame] of frames.bySymbol) this.waiting.set(symbol, frame);
  }

  private flush(): void {
    if (this.waiting.size === 0) return;
    const newest = Buffer.concat([...this.waiting.values()]);
    this.waiting.clear();
    this.connection.write(newest);
  }
}
