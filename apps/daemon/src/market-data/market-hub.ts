import type { Clock } from '@libs/clock';
import type { Quote, Stream } from '@libs/strategy';
import type { GatewaySession } from '../gateways/gateway-session';
import { nanosNow } from '../latency/nanos';
import type { AccountSync } from '../trading/account-sync';
import { BarFeed, type BarListener } from './bar-feed';
import { timeframeMs, type ClosedBar } from './closed-bar';
import { SymbolWatch } from './symbol-watch';
import { quoteOf, TickFeed } from './tick-feed';

export type TickListener = (quote: Quote, receivedNanos: number) => void;

/** The market data of one gateway, read once however many strategies listen. */
export class MarketHub {
  private readonly feeds = new Map<string, { readonly symbol: string; readonly feed: BarFeed }>();
  private readonly watches = new Map<string, SymbolWatch>();
  private readonly tickListeners = new Map<string, Set<TickListener>>();
  private readonly ticks: TickFeed;

  constructor(
    private readonly session: GatewaySession,
    private readonly sync: AccountSync,
    private readonly clock: Clock,
    private readonly onFailure: (text: string) => void,
  ) {
    this.ticks = new TickFeed({
      client: session.client,
      clock,
      onTick: (symbol, quote, utcMs) => this.onTick(symbol, quote, utcMs),
      onFailure: (what, error) => this.failed(what, error),
    });
  }

  /** Listens to a stream's closed bars; returns those before. @throws GatewayReadError */
  async subscribe(stream: Stream, warmupBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    await this.refreshQuote(stream.symbol);
    this.ticks.want([...this.watches.keys()]);
    return this.feedOf(stream).subscribe(warmupBars, listener);
  }

  unsubscribe(stream: Stream, listener: BarListener): void {
    this.feeds.get(feedKey(stream))?.feed.unsubscribe(listener);
  }

  /** Hears every new quote of a symbol, until the returned function is called. */
  onQuotes(symbol: string, listener: TickListener): () => void {
    const listeners = this.tickListeners.get(symbol) ?? new Set();
    this.tickListeners.set(symbol, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  quote(symbol: string): Quote | null {
    return this.watches.get(symbol)?.quote ?? null;
  }

  lastTickAgeMs(symbol: string): number | null {
    return this.watches.get(symbol)?.ageMs(this.clock.monotonicMs()) ?? null;
  }

  isStale(symbol: string): boolean {
    return this.watches.get(symbol)?.isStale(this.clock.monotonicMs()) ?? false;
  }

  /** Broker's clock less ours; null when the broker's zone is unknown. */
  skewMs(symbol: string): number | null {
    return this.watches.get(symbol)?.skewMs ?? null;
  }

  missedBars(stream: Stream): number {
    return this.feeds.get(feedKey(stream))?.feed.missed ?? 0;
  }

  stop(): void {
    this.ticks.stop();
  }

  private feedOf(stream: Stream): BarFeed {
    const key = feedKey(stream);
    const known = this.feeds.get(key);
    if (known) return known.feed;
    const { symbol, timeframe } = stream;
    const feed = new BarFeed(
      {
        read: (count) => this.session.client.reads.fetchDataPos(symbol, timeframe, count),
        barMs: timeframeMs(timeframe),
        clock: this.clock,
        beforeDelivery: async () => void (await Promise.all([this.sync.now(), this.tryQuote(symbol)])),
        onFailure: (error) => this.failed(`bars of ${symbol}@${timeframe}`, error),
      },
      nanosNow,
    );
    this.feeds.set(key, { symbol, feed });
    return feed;
  }

  private async tryQuote(symbol: string): Promise<void> {
    try {
      await this.refreshQuote(symbol);
    } catch (error) {
      this.failed(`quote of ${symbol}`, error);
    }
  }

  private async refreshQuote(symbol: string): Promise<void> {
    const { quote, utcMs } = quoteOf(await this.session.client.reads.symbolInfoTick(symbol));
    this.onTick(symbol, quote, utcMs);
  }

  private onTick(symbol: string, quote: Quote, utcMs: number | null): void {
    let watch = this.watches.get(symbol);
    if (!watch) this.watches.set(symbol, (watch = new SymbolWatch()));
    if (!watch.see(quote, utcMs, this.clock.monotonicMs(), this.clock.nowMs())) return;
    const receivedNanos = nanosNow();
    for (const known of this.feeds.values()) if (known.symbol === symbol) known.feed.heard(quote.timeMs);
    for (const listener of this.tickListeners.get(symbol) ?? []) listener(quote, receivedNanos);
  }

  private failed(what: string, error: unknown): void {
    this.session.failed(error);
    this.onFailure(`${this.session.name}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function feedKey({ symbol, timeframe }: Stream): string {
  return `${symbol}@${timeframe}`;
}
