import type { Clock } from '@libs/clock';
import { GatewayReadError, type GatewayClient } from '@libs/gateway-client';
import type { Quote, Stream } from '@libs/strategy';
import type { Logger } from 'pino';
import type { GatewaySession } from '../gateways/gateway-session';
import { nanosNow } from '../latency/nanos';
import { Slots } from '../slots';
import { BarFeed, type BarListener } from './bar-feed';
import { timeframeMs } from '../core/event-time';
import type { ClosedBar } from './closed-bar';
import type { Age } from '../core/strategy-event';
import { symbolTermsOf, type BrokerSymbol } from './symbol-spec';
import { SymbolWatch, type StampedQuote } from './symbol-watch';
import { ReadSlots } from './read-slots';
import { StreamBars, type BarGateway } from './stream-bars';
import { isMissing, quoteOf, TickFeed, type QuoteListener } from './tick-feed';

export type TickListener = (stamped: StampedQuote, receivedNanos: number) => void;

/** State of a gateway's quotes. */
interface QuoteReport {
  /** Whether every symbol is streamed rather than polled. */
  readonly streaming: boolean;
  /** Number of gaps in the stream. */
  readonly tickGaps: number;
  /** Minimum number of quotes lost in gaps. */
  readonly lostTicks: number;
  /** Invalid quotes dropped: without a price, or with a bid far above the ask. */
  readonly badTicks: number;
}

/** How old a symbol's specification may be when a bar closes: the value of a tick changes with the prices. */
const specLastsMs = 60_000;
/** It may be this many times as old as its read took: of a slow terminal, the specifications would take most of the calls. */
const specLastsPerRead = 100;

/** Streams that are joined at a time: a terminal takes one call at a time, and no read may wait for its answer until it counts as lost. */
const joinsAtATime = 2;

/** The snapshots of the gateway's account. */
interface AccountSnapshots {
  /** Resolves when a snapshot that begins after the call was taken, or failed. */
  now(): Promise<void>;
}

/** The market data of one gateway, read once for all strategies. */
export class MarketHub implements QuoteListener, BarGateway {
  private readonly feeds = new Map<string, { readonly symbol: string; readonly feed: BarFeed }>();
  private readonly watches = new Map<string, SymbolWatch>();
  private readonly specs = new Map<string, { readonly spec: BrokerSymbol; readonly untilMs: number }>();
  private readonly tickListeners = new Map<string, Set<TickListener>>();
  private readonly ticks: TickFeed;
  /** Number of listeners to a symbol's bars. */
  private readonly holders = new Map<string, number>();
  private readonly joining = new Slots(joinsAtATime);
  private readonly reading: ReadSlots;
  private badTicks = 0;

  constructor(
    private readonly session: GatewaySession,
    private readonly sync: AccountSnapshots,
    private readonly clock: Clock,
    private readonly log: Pick<Logger, 'warn' | 'debug'>,
  ) {
    this.reading = new ReadSlots(clock);
    this.ticks = new TickFeed({ client: session.client, clock }, this);
  }

  get client(): GatewayClient {
    return this.session.client;
  }

  /**
   * Listens to a stream's closed bars; returns those before.
   * @param isWanted whether the listener still exists when its turn comes
   * @throws GatewayReadError, or Error when it does not
   */
  subscribe(
    stream: Stream,
    pastBars: number,
    listener: BarListener,
    isWanted = (): boolean => true,
  ): Promise<readonly ClosedBar[]> {
    return this.joining.take(() => {
      if (!isWanted()) throw new Error(`the strategy left the market before it subscribed to ${stream.symbol}`);
      return this.join(stream, pastBars, listener);
    });
  }

  private async join(stream: Stream, pastBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    // Read the quote first: a symbol that the broker does not have must not be added to the shared stream.
    if (!this.holders.has(stream.symbol) || this.isStale(stream.symbol)) await this.refreshQuote(stream.symbol);
    await this.refreshSpec(stream.symbol);
    this.hold(stream.symbol, 1);
    try {
      return await this.feedOf(stream).subscribe(pastBars, listener);
    } catch (error) {
      this.hold(stream.symbol, -1);
      throw error;
    }
  }

  unsubscribe(stream: Stream, listener: BarListener): void {
    this.feeds.get(feedKey(stream))?.feed.unsubscribe(listener);
    this.hold(stream.symbol, -1);
  }

  /** Subscribes to the quotes of a symbol until the returned function is called. */
  onQuotes(symbol: string, listener: TickListener): () => void {
    const listeners = this.tickListeners.get(symbol) ?? new Set();
    this.tickListeners.set(symbol, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  quote(symbol: string): Quote | null {
    return this.watches.get(symbol)?.quote ?? null;
  }

  /**
   * An instant on the broker's clock, by a symbol's newest quote; null before the first.
   * @param timeMs null for the time of that quote
   */
  serverMs(symbol: string, timeMs: number | null): number | null {
    return this.watches.get(symbol)?.serverTimeOf(timeMs) ?? null;
  }

  /** The broker's specification of a symbol that is subscribed to; null for any other. */
  symbolSpec(symbol: string): BrokerSymbol | null {
    return this.specs.get(symbol)?.spec ?? null;
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

  receive(symbol: string, quote: StampedQuote): void {
    if (this.holders.has(symbol)) this.onTick(symbol, quote);
  }

  async refresh(symbol: string): Promise<void> {
    const prices = this.reading.take(() => Promise.all([this.tryQuote(symbol), this.trySpec(symbol)]));
    await Promise.all([this.sync.now(), prices]);
  }

  /** Symbols that the broker no longer has, each with what the gateway says of it. */
  get lostSymbols(): readonly (readonly [symbol: string, reason: string])[] {
    return this.ticks.lostSymbols;
  }

  lost(symbol: string, reason: string): void {
    this.log.warn(`${this.session.name}: ${symbol} has no prices: ${reason}`);
  }

  failed(what: string, error: unknown, symbol?: string): void {
    // The gateway has answered. Whether the symbol is gone shows its quote, and the log names it once.
    if (symbol !== undefined && isMissing(error)) return this.ticks.doubt(symbol);
    // That the gateway does not answer is one line of the log, however long it lasts.
    const isKnown = !this.session.reachable && !(error instanceof GatewayReadError && error.failure === 'refused');
    this.session.failed(error);
    const text = `${this.session.name}: ${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (isKnown) this.log.debug(text);
    else this.log.warn(text);
  }

  private hold(symbol: string, more: 1 | -1): void {
    const holders = (this.holders.get(symbol) ?? 0) + more;
    if (holders > 0) this.holders.set(symbol, holders);
    else {
      this.holders.delete(symbol);
      // Old prices must not count as current for the next listener.
      this.watches.delete(symbol);
      this.specs.delete(symbol);
    }
    this.ticks.want(this.holders.keys());
  }

  private feedOf(stream: Stream): BarFeed {
    const key = feedKey(stream);
    const known = this.feeds.get(key);
    if (known) return known.feed;
    const { symbol, timeframe } = stream;
    const options = { barMs: timeframeMs(timeframe), clock: this.clock, reading: this.reading };
    const feed = new BarFeed(new StreamBars(stream, this), options, nanosNow);
    this.feeds.set(key, { symbol, feed });
    return feed;
  }

  private async tryQuote(symbol: string): Promise<void> {
    try {
      await this.refreshQuote(symbol);
    } catch (error) {
      this.failed(`quote of ${symbol}`, error, symbol);
    }
  }

  private async trySpec(symbol: string): Promise<void> {
    try {
      await this.refreshSpec(symbol);
    } catch (error) {
      this.failed(`specification of ${symbol}`, error, symbol);
    }
  }

  private async refreshSpec(symbol: string): Promise<void> {
    const beganMs = this.clock.monotonicMs();
    const known = this.specs.get(symbol);
    if (known && beganMs < known.untilMs) return;
    const { reads } = this.session.client;
    const [record, marginPerLot] = await Promise.all([reads.symbolInfo(symbol), this.marginPerLot(symbol)]);
    const lastsMs = Math.max(specLastsMs, specLastsPerRead * (this.clock.monotonicMs() - beganMs));
    this.specs.set(symbol, { spec: { ...symbolTermsOf(record), marginPerLot }, untilMs: beganMs + lastsMs });
  }

  /**
   * At the last quote, so that the terminal need not be asked for it. Null where the terminal computes none, as without a
   * quote: a read of the specification does not fail for it.
   */
  private async marginPerLot(symbol: string): Promise<number | null> {
    const quote = this.quote(symbol);
    const request = { symbol, volume: 1, type: 'BUY', ...(quote && { price: quote.ask }) } as const;
    try {
      return await this.session.client.reads.orderCalcMargin(request);
    } catch {
      return null;
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
    for (const listener of this.tickListeners.get(symbol) ?? []) listener(stamped, receivedNanos);
  }
}

function feedKey({ symbol, timeframe }: Stream): string {
  return `${symbol}@${timeframe}`;
}

/** In a fast market the bid may exceed the ask for a moment; above this share of the price it is an error. */
const mostCrossed = 0.001;

/** Whether a quote can be traded on: a time, two prices above zero, and no bid far above the ask. */
export function isSound({ timeMs, bid, ask }: Quote): boolean {
  if (![timeMs, bid, ask].every(Number.isFinite)) return false;
  return bid > 0 && ask > 0 && bid - ask <= ask * mostCrossed;
}
