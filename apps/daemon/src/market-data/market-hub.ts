import type { Clock } from '@libs/clock';
import type { Quote, Stream } from '@libs/strategy';
import type { GatewaySession } from '../gateways/gateway-session';
import { nanosNow } from '../latency/nanos';
import type { AccountSync } from '../trading/account-sync';
import { BarFeed, type BarListener } from './bar-feed';
import { timeframeMs, type ClosedBar } from './closed-bar';
import type { Age } from './market-time';
import { readBars } from './read-bars';
import { isSound } from './sound-quote';
import { SymbolWatch, type StampedQuote } from './symbol-watch';
import { quoteOf, TickFeed } from './tick-feed';

export type TickListener = (quote: Quote, receivedNanos: number) => void;

/** How the quotes of a gateway come. */
export interface QuoteReport {
  /** By the gateway's stream, and not by asking for each. */
  readonly streaming: boolean;
  /** How often quotes were left out of the stream. */
  readonly tickGaps: number;
  /** Quotes that were left out, at least. */
  readonly lostTicks: number;
  /** Quotes that were none: no price, or a bid far above the ask. Nobody was given them. */
  readonly badTicks: number;
}

/** The market data of one gateway, read once however many strategies listen. */
export class MarketHub {
  private readonly feeds = new Map<string, { readonly symbol: string; readonly feed: BarFeed }>();
  private readonly watches = new Map<string, SymbolWatch>();
  private readonly tickListeners = new Map<string, Set<TickListener>>();
  private readonly ticks: TickFeed;
  /** How many listen to a symbol's bars. */
  private readonly holders = new Map<string, number>();
  private badTicks = 0;

  constructor(
    private readonly session: GatewaySession,
    private readonly sync: AccountSync,
    private readonly clock: Clock,
    private readonly onFailure: (text: string) => void,
  ) {
    this.ticks = new TickFeed({
      client: session.client,
      clock,
      onTick: (symbol, quote) => {
        if (this.holders.has(symbol)) this.onTick(symbol, quote);
      },
      onFailure: (what, error) => this.failed(what, error),
    });
  }

  /** Listens to a stream's closed bars; returns those before. @throws GatewayReadError */
  async subscribe(stream: Stream, warmupBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    // First the quote: a symbol the broker does not have must not get into the stream of the others.
    await this.refreshQuote(stream.symbol);
    this.hold(stream.symbol, 1);
    try {
      return await this.feedOf(stream).subscribe(warmupBars, listener);
    } catch (error) {
      this.hold(stream.symbol, -1);
      throw error;
    }
  }

  unsubscribe(stream: Stream, listener: BarListener): void {
    this.feeds.get(feedKey(stream))?.feed.unsubscribe(listener);
    this.hold(stream.symbol, -1);
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

  /** Also while no usable quote of it has come. */
  isStale(symbol: string): boolean {
    return this.watches.get(symbol)?.isStale(this.clock.monotonicMs()) ?? true;
  }

  /** Broker's clock less ours; null when the broker's zone is unknown. */
  skewMs(symbol: string): number | null {
    return this.watches.get(symbol)?.skewMs ?? null;
  }

  /** How long ago it was this time on the broker's clock, by a symbol's quotes; null before the first of them. */
  ageOf(symbol: string, serverMs: number): Age | null {
    return this.watches.get(symbol)?.ageOf(serverMs, this.clock.monotonicMs()) ?? null;
  }

  missedBars(stream: Stream): number {
    return this.feeds.get(feedKey(stream))?.feed.missed ?? 0;
  }

  get quotes(): QuoteReport {
    const { badTicks, ticks } = this;
    return { streaming: ticks.streaming, tickGaps: ticks.gaps.gaps, lostTicks: ticks.gaps.lost, badTicks };
  }

  stop(): void {
    this.ticks.stop();
  }

  private hold(symbol: string, more: 1 | -1): void {
    const holders = (this.holders.get(symbol) ?? 0) + more;
    if (holders > 0) this.holders.set(symbol, holders);
    else {
      this.holders.delete(symbol);
      // What it was is not the present when somebody comes again.
      this.watches.delete(symbol);
    }
    this.ticks.want(this.holders.keys());
  }

  private feedOf(stream: Stream): BarFeed {
    const key = feedKey(stream);
    const known = this.feeds.get(key);
    if (known) return known.feed;
    const { symbol, timeframe } = stream;
    const feed = new BarFeed(
      {
        read: (count) =>
          readBars(
            (bars, startPos) => this.session.client.reads.fetchDataPos(symbol, timeframe, bars, startPos),
            count,
          ),
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
    this.onTick(symbol, quoteOf(await this.session.client.reads.symbolInfoTick(symbol)));
  }

  private onTick(symbol: string, stamped: StampedQuote): void {
    const { quote, serverMs } = stamped;
    if (!isSound(quote)) return void this.badTicks++;
    let watch = this.watches.get(symbol);
    if (!watch) this.watches.set(symbol, (watch = new SymbolWatch()));
    if (!watch.see(stamped, this.clock.monotonicMs(), this.clock.nowMs())) return;
    const receivedNanos = nanosNow();
    for (const known of this.feeds.values()) if (known.symbol === symbol) known.feed.heard(serverMs);
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
