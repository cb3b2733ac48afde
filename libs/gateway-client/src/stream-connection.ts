import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { withDeadline, type ClientEdge } from './client-edge';
import type { HttpTransport } from './http-transport';
import { envelopeOf } from './outcomes';
import { textWithin } from './limited-text';
import { GatewayReadError } from './read-error';

/** One connection to an event stream, from its opening to its end. */
export class StreamConnection {
  private constructor(
    private readonly body: ReadableStreamDefaultReader<Uint8Array>,
    private readonly signal: AbortSignal | undefined,
    private readonly abort: AbortController,
    private readonly silenceMs: number,
    private readonly edge: ClientEdge,
  ) {}

  /** @throws GatewayReadError if the stream cannot be opened */
  static async open(
    transport: HttpTransport,
    path: string,
    lastId: number | null,
    silenceMs: number,
    signal: AbortSignal | undefined,
  ): Promise<StreamConnection> {
    const abort = new AbortController();
    const end = (): void => abort.abort();
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    const headers = { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': String(lastId) }) };
    const opening = transport.open(path, headers, abort.signal);
    const response = await withDeadline(transport.edge, opening, silenceMs, 'the gateway does not answer').catch(
      (error: unknown) => {
        abort.abort();
        throw new GatewayReadError('unreachable', messageOf(error));
      },
    );
    signal?.removeEventListener('abort', end);
    if (response.status !== 200 || !response.body) throw await refusal(response);
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      abort.abort();
      throw new GatewayReadError('malformed', 'status 200, but no event stream', 200);
    }
    return new StreamConnection(response.body.getReader(), signal, abort, silenceMs, transport.edge);
  }

  /** The messages, until the stream ends or is aborted. @throws GatewayReadError if it breaks or falls silent */
  async *messages(): AsyncGenerator<EventSourceMessage> {
    const arrived: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => arrived.push(message) });
    const decoder = new TextDecoder();
    // It ends a read in progress. `fetch` holds its signal weakly: after a garbage collection an abort may not reach it.
    const end = (): void => void this.body.cancel().catch(() => undefined);
    this.signal?.addEventListener('abort', end);
    if (this.signal?.aborted === true) end();
    try {
      for (;;) {
        const chunk = await withDeadline(
          this.edge,
          this.body.read(),
          this.silenceMs,
          'the stream delivered nothing for too long',
        );
        if (chunk.done === true) return;
        parser.feed(decoder.decode(chunk.value, { stream: true }));
        yield* arrived.splice(0);
      }
    } catch (error) {
      throw new GatewayReadError('unreachable', messageOf(error));
    } finally {
      this.signal?.removeEventListener('abort', end);
      end();
      this.abort.abort();
    }
  }
}

/** More of the body of a refusal is not read. */
const longestRefusal = 64 * 1_024;

async function refusal(response: Response): Promise<GatewayReadError> {
  const text = await textWithin(response, longestRefusal).catch(() => '');
  const { error, error_type } = envelopeOf(parsed(text));
  const message = error ?? `status ${response.status}`;
  return new GatewayReadError('refused', message, response.status, error_type ?? null);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
