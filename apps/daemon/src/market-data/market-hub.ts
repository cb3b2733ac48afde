import type { Clock } from '@libs/clock';
import { GatewayReadError } from '@libs/gateway-client';
import type { Quote, Stream } from '@libs/strategy';
import type { GatewaySession } from '../gateways/gateway-session';
import { nanosNow } from '../latency/nanos';
import type { AccountSync } from '../trading/account-sync';
import { BarFeed, type BarListener } from './bar-feed';
import { timeframeMs, type ClosedBar } from './closed-bar';

/** The market data of one gateway, read once however many strategies listen. */
export class MarketHub {
  private readonly feeds = new Map<string, BarFeed>();
  private readonly quotes = new Map<string, Quote>();

  constructor(
    private readonly session: GatewaySession,
    private readonly sync: AccountSync,
    private readonly clock: Clock,
    private readonly onFailure: (text: string) => void,
  ) {}

  /** Listens to a stream's closed bars; returns those before. @throws GatewayReadError */
  async subscribe(stream: Stream, warmupBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    await this.refreshQuote(stream.symbol);
    return this.feedOf(stream).subscribe(warmupBars, listener);
  }

  unsubscribe(stream: Stream, listener: BarListener): void {
    this.feeds.get(feedKey(stream))?.unsubscribe(listener);
  }

  quote(symbol: string): Quote | null {
    return this.quotes.get(symbol) ?? null;
  }

  missedBars(stream: Stream): number {
    return this.feeds.get(feedKey(stream))?.missed ?? 0;
  }

  private feedOf(stream: Stream): BarFeed {
    const key = feedKey(stream);
    let feed = this.feeds.get(key);
    if (!feed) {
      const { symbol, timeframe } = stream;
      feed = new BarFeed(
        {
          read: (count) => this.session.client.reads.fetchDataPos(symbol, timeframe, count),
          barMs: timeframeMs(timeframe),
          clock: this.clock,
          beforeDelivery: async () => void (await Promise.all([this.sync.now(), this.tryQuote(symbol)])),
          onFailure: (error) => this.failed(`bars of ${symbol}@${timeframe}`, error),
        },
        nanosNow,
      );
      this.feeds.set(key, feed);
    }
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
    const tick = await this.session.client.reads.symbolInfoTick(symbol);
    const timeMs = tick.time_utc === null ? tick.time_msc : Date.parse(tick.time_utc);
    this.quotes.set(symbol, { timeMs, bid: tick.bid, ask: tick.ask });
  }

  private failed(what: string, error: unknown): void {
    this.session.failed(error);
    this.onFailure(`${this.session.name}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
    if (!(error instanceof GatewayReadError)) this.onFailure(String(error instanceof Error ? error.stack : error));
  }
}

function feedKey({ symbol, timeframe }: Stream): string {
  return `${symbol}@${timeframe}`;
}
