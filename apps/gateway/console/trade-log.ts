import {
  connectionText,
  differenceText,
  GatewayReadError,
  signalEventText,
  type GatewayClient,
  type StreamMessage,
  type TradeEventRecord,
} from '@libs/gateway-client';
import { signal } from '@preact/signals';

/** A line of the event log, or a note about the stream. */
export interface LogLine {
  readonly id: string;
  /** When the gateway recorded the event, UTC; null for a note. */
  readonly at: string | null;
  readonly event: TradeEventRecord | null;
  readonly note: string | null;
}

/** State of the connection: `broken` is being repaired, `ended` is not. */
export type StreamState = 'connecting' | 'connected' | 'broken' | 'ended';

const shownLines = 100;
/** Events from before the page was opened. */
const earlierEvents = 20;
const retryMs = 2_000;

/** The trade events as they happen, newest first, over broken connections. */
export class TradeLog {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly state = signal<StreamState>('connecting');
  /** Monotonic milliseconds since when the connection has this state. */
  sinceMs = performance.now();
  private readonly ending = new AbortController();
  private notes = 0;

  /** @param onChange called when the lists may have changed; @param onFailure called with an error that ends the stream */
  constructor(
    private readonly client: GatewayClient,
    private readonly onChange: () => void,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async follow(): Promise<void> {
    const { signal: ending } = this.ending;
    try {
      const since = await this.start();
      for await (const message of this.client.streams.trades({ signal: ending, since })) this.take(message);
    } catch (error) {
      if (ending.aborted) return;
      if (error instanceof GatewayReadError && error.isTransient) {
        this.become('broken');
        setTimeout(() => void this.follow(), retryMs);
        return;
      }
      this.become('ended');
      this.note(error instanceof Error ? error.message : 'the stream ended');
      this.onFailure(error);
    }
  }

  stop(): void {
    this.ending.abort();
  }

  private become(state: StreamState): void {
    if (this.state.peek() !== state) this.sinceMs = performance.now();
    this.state.value = state;
  }

  private async start(): Promise<number> {
    const known = this.lines.value.find(({ event }) => event !== null)?.event?.seq;
    if (known !== undefined) return known;
    const { first_seq: first, last_seq: last } = await this.client.reads.events({ limit: 1 });
    return Math.max(first - 1, last - earlierEvents);
  }

  private take(message: StreamMessage<TradeEventRecord>): void {
    switch (message.kind) {
      case 'event':
        this.add({ id: String(message.id), at: message.event.recorded_at, event: message.event, note: null });
        break;
      case 'connected':
        this.become('connected');
        break;
      case 'disconnected':
        this.become('broken');
        break;
      case 'resync':
        this.note(`events are lost (${message.reason}): the lists above are read again`);
        break;
      case 'terminal':
        this.note(connectionText(message));
        break;
      case 'signal':
        this.note(signalEventText(message.event));
        break;
      case 'difference':
        this.note(differenceText(message.difference));
        break;
    }
    this.onChange();
  }

  private note(text: string): void {
    this.notes += 1;
    this.add({ id: `note ${this.notes}`, at: null, event: null, note: text });
  }

  private add(line: LogLine): void {
    this.lines.value = [line, ...this.lines.value].slice(0, shownLines);
  }
}
