import type { Clock } from '@libs/clock';
import type { GatewayClient, TickEventRecord } from '@libs/gateway-client';
import type { Quote } from '@libs/strategy';

export interface TickFeedOptions {
  readonly client: GatewayClient;
  readonly clock: Clock;
  readonly onTick: (symbol: string, quote: Quote, utcMs: number | null) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

const pollEveryMs = 1_000;
const refusedMs = 5_000;

/** The quotes of one gateway's symbols: by its event stream, and by asking while there is no stream. */
export class TickFeed {
  /** True while the event stream is open. */
  streaming = false;
  private symbols: readonly string[] = [];
  private running = false;
  private abort = new AbortController();

  constructor(private readonly options: TickFeedOptions) {}

  /** Listens to these symbols from now on. */
  want(symbols: readonly string[]): void {
    if (symbols.join() === this.symbols.join()) return;
    this.symbols = symbols;
    this.abort.abort();
    if (this.running || symbols.length === 0) return;
    this.running = true;
    void this.streamOn();
    void this.pollOn();
  }

  stop(): void {
    this.running = false;
    this.symbols = [];
    this.abort.abort();
  }

  private async streamOn(): Promise<void> {
    const { client, clock, onFailure } = this.options;
    while (this.running) {
      const { symbols } = this;
      this.abort = new AbortController();
      try {
        for await (const message of client.streams.ticks(symbols, { signal: this.abort.signal })) {
          this.streaming = message.kind === 'disconnected' ? false : this.streaming || message.kind === 'connected';
          if (message.kind === 'disconnected') onFailure('the stream of quotes', new Error(message.reason));
          if (message.kind === 'event') this.onEvent(message.event);
        }
      } catch (error) {
        onFailure('the stream of quotes', error);
      }
      this.streaming = false;
      // New symbols are listened to at once; a stream that was refused is asked for again after a while.
      if (this.running && this.symbols === symbols) await clock.sleep(refusedMs);
    }
  }

  private async pollOn(): Promise<void> {
    const { client, clock, onFailure, onTick } = this.options;
    while (this.running) {
      await clock.sleep(pollEveryMs);
      if (this.streaming) continue;
      for (const symbol of this.symbols) {
        if (!this.running) return;
        try {
          const tick = await client.reads.symbolInfoTick(symbol);
          const { quote, utcMs } = quoteOf(tick);
          onTick(symbol, quote, utcMs);
        } catch (error) {
          onFailure(`quote of ${symbol}`, error);
        }
      }
    }
  }

  private onEvent(tick: TickEventRecord): void {
    const { quote, utcMs } = quoteOf(tick);
    this.options.onTick(tick.symbol, quote, utcMs);
  }
}

/** A tick's prices and its time: UTC when the broker's zone is known, else the broker's own clock. */
export function quoteOf(tick: {
  readonly bid: number;
  readonly ask: number;
  readonly time_msc: number;
  readonly time_utc: string | null;
}): { readonly quote: Quote; readonly utcMs: number | null } {
  const utcMs = tick.time_utc === null ? null : Date.parse(tick.time_utc);
  return { quote: { timeMs: utcMs ?? tick.time_msc, bid: tick.bid, ask: tick.ask }, utcMs };
}
