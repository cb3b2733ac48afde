/** One message of an event stream. */
export interface SseMessage {
  readonly event: string;
  /** The id that a client returns as `Last-Event-ID`. Without one, the client keeps the previous id. */
  readonly id?: number;
  readonly data: unknown;
}

/**
 * The message on the wire (WHATWG HTML, server-sent events). JSON contains no line breaks, so one data line is enough.
 */
export function sseFrame({ event, id, data }: SseMessage): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A line that clients ignore. */
export function sseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

/** Sets how long clients wait before they reconnect. */
export function sseRetry(ms: number): Buffer {
  return Buffer.from(`retry: ${ms}\n\n`);
}
