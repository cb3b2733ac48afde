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
}

/** Receives what a stream brings. */
export interface TickStreamListener {
  onConnected(stream: TickStream): void;
  onTick(tick: TickEventRecord, id: number): void;
  /** An unknown number of quotes is missing. */
  onResync(): void;
  onStreamFailure(error: unknown): void;
  /** The gateway refused the stream permanently; it is not reopened. */
  onRefused(stream: TickStream): void;
}

/** One event stream of quotes. It reconnects when it breaks, until it is refused or closed. */
export class TickStream {
  connected = false;
  /** Monotonic instant of the last quote, or of the connection. */
  heardMs: number;
  private readonly abort = new AbortController();

  constructor(
    private readonly options: TickStreamOptions,
    private readonly listener: TickStreamListener,
  ) {
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
    const { client, symbols, since, silenceMs } = this.options;
    const { listener } = this;
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
      listener.onStreamFailure(error);
      listener.onRefused(this);
    }
  }

  private take(message: StreamMessage<TickEventRecord>): void {
    switch (message.kind) {
      case 'connected':
        this.connected = true;
        this.heardMs = this.options.clock.monotonicMs();
        return this.listener.onConnected(this);
      case 'disconnected':
        this.connected = false;
        return this.listener.onStreamFailure(new Error(message.reason));
      case 'resync':
        return this.listener.onResync();
      case 'event':
        this.heardMs = this.options.clock.monotonicMs();
        return this.listener.onTick(message.event, message.id);
      case 'terminal':
        // There are no quotes until it is back; their age shows that.
        return;
      case 'signal':
      case 'difference':
        // Of the stream of trades only; the daemon reads differences with the account.
        return;
    }
  }
}
