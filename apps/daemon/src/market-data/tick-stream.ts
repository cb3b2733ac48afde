import type { Clock } from '@libs/clock';
import type { GatewayClient, StreamMessage, TickEventRecord } from '@libs/gateway-client';

export interface TickStreamOptions {
  readonly client: GatewayClient;
  readonly clock: Clock;
  readonly symbols: ReadonlySet<string>;
  /** Id of the last quote that is known; null before the first. */
  readonly since: number | null;
  /** How long the gateway may send nothing at all before the connection counts as dead, in milliseconds. */
  readonly silenceMs: number;
  readonly onConnected: (stream: TickStream) => void;
  readonly onTick: (tick: TickEventRecord, id: number) => void;
  /** An unknown number of quotes is missing. */
  readonly onResync: () => void;
  readonly onFailure: (error: unknown) => void;
  /** The gateway refused the stream permanently; it is not reopened. */
  readonly onRefused: (stream: TickStream) => void;
}

/** One event stream of quotes. It reconnects when it breaks, until it is refused or closed. */
export class TickStream {
  connected = false;
  /** Monotonic instant of the last quote, or of the connection. */
  heardMs: number;
  private readonly abort = new AbortController();

  constructor(private readonly options: TickStreamOptions) {
    this.heardMs = options.clock.monotonicMs();
    void this.run();
  }

  get symbols(): ReadonlySet<string> {
    return this.options.symbols;
  }

  close(): void {
    this.connected = false;
    this.abort.abort();
  }

  private async run(): Promise<void> {
    const { client, symbols, since, silenceMs, onFailure, onRefused } = this.options;
    const { signal } = this.abort;
    try {
      const options = { signal, silenceMs, ...(since === null ? {} : { since }) };
      for await (const message of client.streams.ticks([...symbols], options)) {
        if (signal.aborted) return;
        this.take(message);
      }
    } catch (error) {
      this.connected = false;
      if (signal.aborted) return;
      onFailure(error);
      onRefused(this);
    }
  }

  private take(message: StreamMessage<TickEventRecord>): void {
    switch (message.kind) {
      case 'connected':
        this.connected = true;
        this.heardMs = this.options.clock.monotonicMs();
        return this.options.onConnected(this);
      case 'disconnected':
        this.connected = false;
        return this.options.onFailure(new Error(message.reason));
      case 'resync':
        return this.options.onResync();
      case 'event':
        this.heardMs = this.options.clock.monotonicMs();
        return this.options.onTick(message.event, message.id);
      case 'terminal':
        // There are no quotes until it is back; their age shows that.
        return;
    }
  }
}
