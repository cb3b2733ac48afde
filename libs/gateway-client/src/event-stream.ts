import { createParser } from 'eventsource-parser';
import type { HttpTransport } from './http-transport';

/** One event of a stream, its data parsed. */
export interface StreamEvent {
  /** The gateway's name of it: `tick`, `connection`, `resync`, `position` ... */
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

export interface StreamOptions {
  /** Path with query, such as `/stream/ticks?symbols=EURUSD`. */
  readonly path: string;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Id of the last event that is known, to go on after it. */
  readonly lastEventId: string | null;
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
  /** Anything arrived, a heartbeat too. */
  readonly onAlive: () => void;
}

/**
 * Listens to one of the gateway's event streams until it ends.
 * @throws Error when it cannot be opened or breaks off, also by the signal
 */
export async function listen(transport: HttpTransport, options: StreamOptions): Promise<void> {
  const { path, signal, lastEventId, onOpen, onEvent, onAlive } = options;
  const headers = { accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) };
  const response = await transport.open(path, headers, signal);
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`the stream answered ${response.status}`);
  }
  onOpen();
  const parser = createParser({
    onEvent: ({ event = 'message', id = null, data }) => onEvent({ event, id, data: parsed(data) }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    onAlive();
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
