import type { Bar, Quote, Stream } from '@libs/strategy';
import type { BarListener } from '../market-data/bar-feed';
import { timeframeMs, type ClosedBar } from '../market-data/closed-bar';
import { latenessOf, onTime, type Lateness } from '../market-data/late-bar';
import type { QueuedEvent } from './event-queue';
import type { GatewayServices, Services } from './services';
import type { BarEvent, StrategyEvent } from './worker/messages';

/** One strategy's part of the market: its streams, from the hubs of their gateways into its queue. */
export class StrategyMarket {
  private readonly leaving: (() => void)[] = [];
  /** How often it has left: a join that was under way then must not outlive it. */
  private departures = 0;

  constructor(
    private readonly streams: readonly Stream[],
    private readonly gateway: (name: string) => Pick<GatewayServices, 'hub' | 'session'>,
    private readonly enqueue: (queued: QueuedEvent) => void,
    private readonly onQuote: (alias: string, quote: Quote) => void,
  ) {}

  /** The part of a strategy that hears nothing, and is still asked about its streams. */
  static idle(streams: readonly Stream[], services: Pick<Services, 'gateway'>): StrategyMarket {
    return new StrategyMarket(
      streams,
      (name) => services.gateway(name),
      () => undefined,
      () => undefined,
    );
  }

  /** Listens to a stream; returns the events of its past, to warm up with. @throws GatewayReadError */
  async join(stream: Stream, warmupBars: number, wantsTicks: boolean): Promise<readonly StrategyEvent[]> {
    const { hub } = this.gateway(stream.broker);
    const listener: BarListener = (bars, receivedNanos) => {
      for (const bar of bars) {
        const onArrival = hub.ageOf(stream.symbol, bar.closedMs);
        this.enqueue({ event: { ...barEvent(stream, bar, false), onArrival }, receivedNanos });
      }
    };
    const { departures } = this;
    const past = await hub.subscribe(stream, warmupBars, listener);
    if (departures !== this.departures) {
      hub.unsubscribe(stream, listener);
      throw new Error(`the market was left while ${stream.symbol} was joined`);
    }
    this.leaving.push(() => hub.unsubscribe(stream, listener));
    const leave = hub.onQuotes(stream.symbol, (quote, receivedNanos) => {
      this.onQuote(stream.alias, quote);
      if (wantsTicks) {
        const tick = { stream: stream.alias, symbol: stream.symbol, ...quote };
        this.enqueue({ event: { type: 'tick', tick }, receivedNanos });
      }
    });
    this.leaving.push(leave);
    return past.map((bar) => barEvent(stream, bar, true));
  }

  /** How late a bar of one of its streams is at this moment; one of the past is warm-up, and never late. */
  lateness({ bar, warmingUp, serverMs, closedMs, onArrival }: BarEvent): Lateness {
    const stream = this.streams.find(({ alias }) => alias === bar.stream);
    if (!stream || warmingUp || onArrival === null) return onTime;
    const age = this.gateway(stream.broker).hub.ageOf(stream.symbol, closedMs);
    return age === null ? onTime : latenessOf(age, onArrival, timeframeMs(stream.timeframe) ?? closedMs - serverMs);
  }

  leave(): void {
    this.departures++;
    for (const leave of this.leaving.splice(0)) leave();
  }

  get quotes(): Readonly<Record<string, Quote>> {
    const known = this.streams.flatMap(({ alias, broker, symbol }): [string, Quote][] => {
      const quote = this.gateway(broker).hub.quote(symbol);
      return quote === null ? [] : [[alias, quote]];
    });
    return Object.fromEntries(known);
  }

  get missedBars(): number {
    return this.streams.reduce((sum, stream) => sum + this.gateway(stream.broker).hub.missedBars(stream), 0);
  }

  /** Age of the newest quote of any stream; null before the first. */
  get lastTickAgeMs(): number | null {
    const ages = this.streams.flatMap(({ broker, symbol }) => this.gateway(broker).hub.lastTickAgeMs(symbol) ?? []);
    return ages.length === 0 ? null : Math.round(Math.min(...ages));
  }

  get staleSymbols(): readonly string[] {
    return this.symbols((stream) => this.isStale(stream));
  }

  /** The stale ones with their gateways, such as `demo:EURUSD`: a symbol may be stale on one and fresh on another. */
  get staleStreams(): readonly string[] {
    const stale = this.streams.filter((stream) => this.isStale(stream));
    return [...new Set(stale.map(({ broker, symbol }) => `${broker}:${symbol}`))];
  }

  isStale({ broker, symbol }: Stream): boolean {
    return this.gateway(broker).hub.isStale(symbol);
  }

  /** Symbols whose clock is further from ours than their gateway allows, with the difference in milliseconds. */
  get clockSkewedSymbols(): Readonly<Record<string, number>> {
    const skewed = this.streams.flatMap((stream): [string, number][] => {
      const skewMs = this.skewMs(stream);
      return skewMs === null ? [] : [[stream.symbol, Math.round(skewMs)]];
    });
    return Object.fromEntries(skewed);
  }

  /** How far a stream's clock is off, when that is more than its gateway allows; else null. */
  skewMs({ broker, symbol }: Stream): number | null {
    const { hub, session } = this.gateway(broker);
    const skewMs = hub.skewMs(symbol);
    const most = session.maxClockSkewMs;
    return skewMs !== null && most !== null && Math.abs(skewMs) > most ? skewMs : null;
  }

  private symbols(which: (stream: Stream) => boolean): readonly string[] {
    return [...new Set(this.streams.filter(which).map(({ symbol }) => symbol))];
  }
}

/** What is wrong when a stream has less of a past than its strategy warms up with. */
export function tooFewBars({ alias, broker, symbol, timeframe }: Stream, needed: number, had: number): string {
  return `${alias} needs ${needed} bars to warm up, ${broker} has ${had} of ${symbol}@${timeframe}`;
}

/** A closed bar as an event of a strategy's stream. */
export function barEvent({ alias, symbol, timeframe }: Stream, bar: ClosedBar, warmingUp: boolean): BarEvent {
  const { serverMs, closedMs, ...prices } = bar;
  const told: Bar = { stream: alias, symbol, timeframe, ...prices, lateMs: 0 };
  return { type: 'bar', warmingUp, serverMs, closedMs, onArrival: null, bar: told };
}
