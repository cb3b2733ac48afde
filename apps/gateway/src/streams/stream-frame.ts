import { sseFrame, type SseMessage } from '@libs/http-surface';

/** One message of a stream, encoded once for all its listeners. */
export class StreamFrame {
  /** As a server-sent event. */
  readonly sseBytes: Buffer;

  constructor(message: SseMessage) {
    this.sseBytes = sseFrame(message);
  }
}

/** Messages that are sent together. Listeners with the same messages share one batch. */
export class StreamBatch {
  private sse: Buffer | null = null;

  constructor(readonly frames: readonly StreamFrame[]) {}

  static of(message: SseMessage): StreamBatch {
    return new StreamBatch([new StreamFrame(message)]);
  }

  /** As server-sent events, one after the other. */
  get sseBytes(): Buffer {
    return (this.sse ??= Buffer.concat(this.frames.map(({ sseBytes }) => sseBytes)));
  }
}
