/** One message of an event stream. */
export interface SseMessage {
  readonly event: string;
  /** What a client hands back as `Last-Event-ID`. Without one the client keeps the last. */
  readonly id?: number;
  readonly data: unknown;
}

/** The message on the wire (WHATWG HTML, server-sent events). JSON holds no line breaks, so one data line is enough. */
export function sseFrame({ event, id, data }: SseMessage): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A line that clients ignore. */
export function sseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

/** Tells clients how long to wait before they connect again. */
export function sseRetry(ms: number): Buffer {
  return Buffer.from(`retry: ${ms}\n\n`);
}
