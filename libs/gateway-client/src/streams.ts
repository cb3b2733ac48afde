import type { EventSourceMessage } from 'eventsource-parser';
import { pause } from './client-edge';
import type { HttpTransport } from './http-transport';
import { GatewayReadError } from './read-error';
import { shapes } from './shapes';
import { StreamConnection } from './stream-connection';
import type { StreamMessage, TickEventRecord, TradeEventRecord } from './stream-records';

export interface FollowOptions {
  /** The last known event, from an earlier run; without it, the stream starts with the next event. */
  readonly since?: number;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** How long the gateway may be silent before the connection counts as dead; 40000, well above its heartbeat. */
  readonly silenceMs?: number;
  /** Wait before the first attempt to reconnect, doubling up to twenty times as much; 500. */
  readonly backoffMs?: number;
}

/**
 * The gateway's event streams. Each reconnects after a break and requests the events that it missed, so that its reader
 * sees every trade event exactly once, in order. `resync` reports events that are lost or unreadable. A slow reader
 * slows down its own stream; it misses no trade event, but of ticks it receives only the newest.
 */
export class GatewayStreams {
  constructor(private readonly transport: HttpTransport) {}

  /** @throws GatewayReadError if the gateway rejects the stream permanently, such as for a wrong key */
  trades(options: FollowOptions & { readonly magic?: number } = {}): AsyncGenerator<StreamMessage<TradeEventRecord>> {
    const query = options.magic === undefined ? '' : `?magic=${options.magic}`;
    return this.follow(`/stream/trades${query}`, options, (data) => shapes.event.record(data));
  }

  /** @throws GatewayReadError if the gateway rejects the stream permanently, such as for an unknown symbol */
  ticks(symbols: readonly string[], options: FollowOptions = {}): AsyncGenerator<StreamMessage<TickEventRecord>> {
    const path = `/stream/ticks?symbols=${encodeURIComponent(symbols.join(','))}`;
    return this.follow(path, options, (data) => shapes.tickEvent.record(data));
  }

  private async *follow<Event>(
    path: string,
    options: FollowOptions,
    read: (data: unknown) => Event,
  ): AsyncGenerator<StreamMessage<Event>> {
    const { since = null, signal, silenceMs = 40_000, backoffMs = 500 } = options;
    let lastId: number | null = since;
    let failures = 0;
    const isOver = () => signal?.aborted === true;
    while (!isOver()) {
      try {
        const connection = await StreamConnection.open(this.transport, path, lastId, silenceMs, signal);
        failures = 0;
        yield { kind: 'connected' };
        for await (const message of connection.messages()) {
          const id = idOf(message) ?? lastId;
          const heard = translated(message, id, read);
          lastId = id;
          if (heard) yield heard;
        }
        if (isOver()) return;
        yield { kind: 'disconnected', reason: 'the gateway ended the stream' };
      } catch (error) {
        if (isOver()) return;
        if (!(error instanceof GatewayReadError) || !error.isTransient) throw error;
        yield { kind: 'disconnected', reason: error.message };
      }
      await pause(this.transport.edge, backoffMs * Math.min(20, 2 ** failures), signal);
      failures += 1;
    }
  }
}

/** An unreadable event does not end the stream: it is reported as missing, and the next one follows. */
function translated<Event>(
  message: EventSourceMessage,
  id: number | null,
  read: (data: unknown) => Event,
): StreamMessage<Event> | null {
  try {
    return told(message, id, read);
  } catch (error) {
    return { kind: 'resync', id, reason: error instanceof Error ? error.message : 'malformed' };
  }
}

function told<Event>(
  message: EventSourceMessage,
  id: number | null,
  read: (data: unknown) => Event,
): StreamMessage<Event> | null {
  const data: unknown = JSON.parse(message.data);
  switch (message.event) {
    case 'ready':
      return null;
    case 'resync':
      return { kind: 'resync', id, reason: reasonOf(data) };
    case 'connection':
      return { kind: 'terminal', ...connectionOf(data) };
    case 'difference':
      return { kind: 'difference', difference: shapes.differenceNotice.record(data) };
    case 'signal':
      return id === null ? null : { kind: 'signal', id, event: shapes.signalEvent.record(data) };
    case 'tick':
    case 'position':
    case 'order':
    case 'deal':
      return id === null ? null : { kind: 'event', id, event: read(data) };
    default:
      // Of a later version of the gateway: no event of which this client could miss something.
      return null;
  }
}

function idOf({ id }: EventSourceMessage): number | null {
  return id !== undefined && /^\d+$/.test(id) ? Number(id) : null;
}

function reasonOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return 'unknown';
  if ('reason' in data && typeof data.reason === 'string') return data.reason;
  return 'action' in data && typeof data.action === 'string' ? data.action : 'unknown';
}

/** A gateway of an earlier version gives no reason. */
function connectionOf(data: unknown): Omit<Extract<StreamMessage<never>, { kind: 'terminal' }>, 'kind'> {
  const { connected, reason, message, tickets } = { ...Object(data) } as Readonly<Record<string, unknown>>;
  return {
    connected: connected === true,
    reason: typeof reason === 'string' ? reason : null,
    message: typeof message === 'string' ? message : null,
    tickets: Array.isArray(tickets) ? tickets.filter((ticket) => typeof ticket === 'number') : [],
  };
}
