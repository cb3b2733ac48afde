import { sseFrame, type SseMessage } from '@libs/http-surface';

const dataLine = '\ndata: ';
const endOfEvent = '\n\n';

/** One message of a stream, encoded once for all its listeners. */
export class StreamFrame {
  /** As a server-sent event. */
  readonly sseBytes: Buffer;
  private readonly head: string;
  private inText: Buffer | null = null;

  constructor({ event, id, data }: SseMessage) {
    this.sseBytes = sseFrame({ event, ...(id === undefined ? {} : { id }), data });
    this.head = JSON.stringify({ event, id }).slice(0, -1);
  }

  /** As one JSON text: `{"event":…,"id":…,"data":…}`, without `id` if it has none. */
  get text(): Buffer {
    return (this.inText ??= Buffer.concat([Buffer.from(`${this.head},"data":`), this.dataBytes, Buffer.from('}')]));
  }

  /** The data as it stands in the event, so that it is encoded once. */
  private get dataBytes(): Buffer {
    return this.sseBytes.subarray(this.sseBytes.indexOf(dataLine) + dataLine.length, -endOfEvent.length);
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
