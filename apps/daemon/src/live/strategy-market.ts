import type { Clock, Timer } from '@libs/clock';
import type { Quote, Stream } from '@libs/strategy';
import type { BarListener } from '../market-data/bar-feed';
import { barEvent, latenessOf, onTime, type Lateness } from '../market-data/closed-bar';
import { BarSequence } from '../core/bar-sequence';
import type { QueuedEvent } from '../core/event-queue';
import { timeframeMs, eventServerMs, eventTimeMs } from '../core/event-time';
import type { MarketHub } from '../market-data/market-hub';
import type { BrokerSymbol } from '../market-data/symbol-spec';
import type { GatewaySession } from '../gateways/gateway-session';
import { gatewayOf } from './surroundings';
import type { BarEvent, StrategyEvent } from '../core/strategy-event';

/** Receives what happens on the streams of a strategy. */
export interface MarketListener {
  /** A bar or a tick, in the order of the strategy. */
  receive(queued: QueuedEvent): void;
  /** A quote of a stream, before its tick. */
  see(alias: string, quote: Quote): void;
}

/** How long the bars of one instant wait for those of other streams. */
interface BarWait {
  readonly clock: Clock;
  /** Milliseconds of that clock. */
  readonly barWaitMs: number;
}

interface MarketGateway {
  readonly session: GatewaySession;
  readonly hub: MarketHub;
}
type MarketGateways = ReadonlyMap<string, MarketGateway>;

/** What a strategy's part of the market needs. */
export type MarketServices = BarWait & { readonly gateways: MarketGateways };

/** One strategy's part of the market: its streams, from the hubs of their gateways into its queue. */
export class StrategyMarket {
  private readonly leaving: (() => void)[] = [];
  private readonly sequence: BarSequence<QueuedEvent<BarEvent>>;
  /** Ends the wait of the bars that come next. */
  private wait: Timer | null = null;
  /** Counts how often the strategy left the market: a join in progress must not outlive it. */
  private departures = 0;

  constructor(
    private readonly streams: readonly Stream[],
    private readonly gateways: MarketGateways,
    private readonly timing: BarWait,
    /** Null: the strategy receives no events. */
    private readonly listener: MarketListener | null,
  ) {
    this.sequence = new BarSequence(streams, timing.barWaitMs);
  }

  /** The market of a strategy that receives no events, but still reports on its streams. */
  static idle(streams: readonly Stream[], services: MarketServices): StrategyMarket {
    return new StrategyMarket(streams, services.gateways, services, null);
  }

  /** True while bars wait for those of other streams. */
  get holdsBars(): boolean {
    return this.sequence.isHolding;
  }

  /** Listens to a stream; returns the events of its past. @throws GatewayReadError */
  async join(stream: Stream, pastBars: number, wantsTicks: boolean): Promise<readonly BarEvent[]> {
    const { hub } = this.gateway(stream.broker);
    const listener: BarListener = (bars, receivedNanos) => {
      for (const bar of bars) {
        const onArrival = hub.ageOf(stream.symbol, bar.closedMs);
        const event = { ...barEvent(stream, bar, false), onArrival };
        this.sequence.add({ type: 'event', event, receivedNanos }, this.timing.clock.monotonicMs());
      }
      this.passOn();
    };
    const { departures } = this;
    // At least one: it determines when the next bar of the stream is due.
    const isWanted = (): boolean => departures === this.departures;
    const known = await hub.subscribe(stream, Math.max(1, pastBars), listener, isWanted);
    if (!isWanted()) {
      hub.unsubscribe(stream, listener);
      throw new Error(`the strategy left the market while it subscribed to ${stream.symbol}`);
    }
    this.leaving.push(() => hub.unsubscribe(stream, listener));
    const leave = hub.onQuotes(stream.symbol, ({ quote, serverMs }, receivedNanos) => {
      this.listener?.see(stream.alias, quote);
      if (wantsTicks) {
        const tick = { stream: stream.alias, symbol: stream.symbol, ...quote };
        this.listener?.receive({ type: 'event', event: { type: 'tick', tick, serverMs }, receivedNanos });
      }
    });
    this.leaving.push(leave);
    const past = known.map((bar) => barEvent(stream, bar, true));
    for (const event of past.slice(-1)) this.sequence.note(event);
    return pastBars === 0 ? [] : past;
  }

  /** Events of several streams' past in the order in which they happened. */
  inOrder(past: readonly BarEvent[]): readonly BarEvent[] {
    return this.sequence.inOrder(past.map(queued)).map(({ event }) => event);
  }

  /** The instant at which a bar closes, on the clock that orders the strategy's bars; in milliseconds. */
  closeMs(event: BarEvent): number {
    return this.sequence.closeMs(event);
  }

  /** Passes on at once the bars that wait for those of other streams. */
  handOnBars(): void {
    for (const bar of this.sequence.takeAll()) this.listener?.receive(bar);
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
    this.wait?.cancel();
    this.sequence.takeAll();
    for (const leave of this.leaving.splice(0)) leave();
  }

  /**
   * Time of an event on the clock of its broker, in milliseconds: of a rejection or an ended order the time of the newest
   * quote. Null where it is not known, as for a rejection when the streams are of several brokers.
   */
  serverMs(event: StrategyEvent): number | null {
    const ownMs = eventServerMs(event);
    if (ownMs !== null) return ownMs;
    const alias = aliasOf(event);
    const streams = this.streams.filter((stream) => alias === null || stream.alias === alias);
    if (new Set(streams.map(({ broker }) => broker)).size !== 1) return null;
    const timeMs = eventTimeMs(event);
    const known = streams.map(({ broker, symbol }) => this.gateway(broker).hub.serverMs(symbol, timeMs));
    const times = known.filter((serverMs) => serverMs !== null);
    return times.length === 0 ? null : Math.max(...times);
  }

  get quotes(): Readonly<Record<string, Quote>> {
    const known = this.streams.flatMap(({ alias, broker, symbol }): [string, Quote][] => {
      const quote = this.gateway(broker).hub.quote(symbol);
      return quote === null ? [] : [[alias, quote]];
    });
    return Object.fromEntries(known);
  }

  /** The broker's specification of each stream's symbol, by alias; without those that are not known yet. */
  get symbolSpecs(): Readonly<Record<string, BrokerSymbol>> {
    const known = this.streams.flatMap(({ alias }): [string, BrokerSymbol][] => {
      const spec = this.symbolSpec(alias);
      return spec === null ? [] : [[alias, spec]];
    });
    return Object.fromEntries(known);
  }

  /** The broker's specification of a stream's symbol; null while it is not known. */
  symbolSpec(alias: string): BrokerSymbol | null {
    const stream = this.streams.find((one) => one.alias === alias);
    return stream ? this.gateway(stream.broker).hub.symbolSpec(stream.symbol) : null;
  }

  /** Which symbol the broker no longer has, and what its gateway says of it; null if it has all. */
  get lostPrices(): string | null {
    for (const { broker, symbol } of this.streams) {
      const lost = this.gateway(broker).hub.lostSymbols.find(([name]) => name === symbol);
      if (lost) return `no prices of ${symbol} from ${broker}: ${lost[1]}`;
    }
    return null;
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

  /** Symbols with a clock skew above the limit of their gateway, with the skew in milliseconds. */
  get clockSkewedSymbols(): Readonly<Record<string, number>> {
    const skewed = this.streams.flatMap((stream): [string, number][] => {
      const skewMs = this.skewMs(stream);
      return skewMs === null ? [] : [[stream.symbol, Math.round(skewMs)]];
    });
    return Object.fromEntries(skewed);
  }

  /** Clock skew of a stream in milliseconds if it exceeds the limit of its gateway; else null. */
  skewMs({ broker, symbol }: Stream): number | null {
    const { hub, session } = this.gateway(broker);
    const skewMs = hub.skewMs(symbol);
    const most = session.maxClockSkewMs;
    return skewMs !== null && most !== null && Math.abs(skewMs) > most ? skewMs : null;
  }

  /** Passes on the bars that are due, and the others when their wait is over. */
  private passOn(): void {
    const { clock } = this.timing;
    this.wait?.cancel();
    for (const bar of this.sequence.due(clock.monotonicMs())) this.listener?.receive(bar);
    const { deadlineMs } = this.sequence;
    this.wait = deadlineMs === null ? null : clock.setTimer(deadlineMs - clock.monotonicMs(), () => this.passOn());
  }

  /** @throws Error for a gateway that is not configured */
  private gateway(name: string): MarketGateway {
    return gatewayOf(this.gateways, name);
  }

  private symbols(which: (stream: Stream) => boolean): readonly string[] {
    return [...new Set(this.streams.filter(which).map(({ symbol }) => symbol))];
  }
}

/** Alias of the stream of an event of the strategy's own; null where it has none. */
function aliasOf(event: StrategyEvent): string | null {
  if (event.type === 'fill') return event.fill.stream;
  return event.type === 'gone' ? event.gone.stream : null;
}

function queued(event: BarEvent): QueuedEvent<BarEvent> {
  return { type: 'event', event, receivedNanos: null };
}

/** A strategy's part of the market, and the market's time. */
export class MarketClock {
  /**
   * @param market of the version that runs, or ran last
   * @param eventMs market time of the last event, in milliseconds since the epoch; 0 before there is one
   */
  constructor(
    public market: StrategyMarket,
    public eventMs = 0,
  ) {}

  /** Market time: of the last event, or of the newest quote of the streams; 0 before there is any. */
  get nowMs(): number {
    return Math.max(this.eventMs, ...Object.values(this.market.quotes).map(({ timeMs }) => timeMs));
  }
}
