import { BarHistory } from '../bars/bar-history';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { TradingTerms } from '../symbols/trading-terms';
import type { ServerClock } from '../time/server-clock';
import type { TradingHours } from '../time/trading-hours';
import type { LiveQuote } from '../quotes/live-quote';
import type { QuoteSource } from '../quotes/quote-source';
import { SymbolFeed } from './symbol-feed';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { max, min } = Math;

/** A symbol with all that belongs to it in the market. */
export interface MarketSymbol {
  readonly spec: SymbolSpec;
  readonly hours: TradingHours;
  readonly feed: SymbolFeed;
  readonly bars: BarHistory;
}

export interface MarketListing {
  readonly spec: SymbolSpec;
  readonly source: QuoteSource;
  readonly hours: TradingHours;
  /** Where the symbol's history begins, in UTC milliseconds. */
  readonly firstMs: number;
}

/** What is called as market time passes. */
export interface MarketListener {
  /** UTC milliseconds of the next thing that happens by time alone; infinite when there is none. */
  nextEventMs(): number;
  /** That thing is due: the market stands at its time. */
  onEvent(): void;
  /** A watched symbol has a new quote. */
  onQuote(symbol: MarketSymbol): void;
}

/**
 * Market time and the quotes at it. It moves only by a call, to an instant: symbols with orders or positions move
 * quote by quote, and everything in between happens at its own time, so the number of calls makes no difference.
 */
export class Market {
  readonly symbols: ReadonlyMap<string, MarketSymbol>;
  private readonly listed: ReadonlyMap<string, Omit<MarketSymbol, 'spec'> & { spec: SymbolSpec }>;
  private watched: readonly MarketSymbol[] = [];
  private time: number;
  private frozen = new Set<string>();
  private frozenAll = false;
  private turns = 0;

  constructor(
    listings: readonly MarketListing[],
    readonly clock: ServerClock,
    startMs: number,
  ) {
    this.time = startMs;
    this.listed = new Map(
      listings.map(({ spec, source, hours, firstMs }) => [
        spec.name,
        { spec, hours, feed: new SymbolFeed(spec, source), bars: new BarHistory(spec, source, clock, firstMs) },
      ]),
    );
    this.symbols = this.listed;
  }

  /** Changes the terms of a symbol from now on. @throws RangeError when there is no such symbol */
  changeTerms(name: string, terms: Partial<TradingTerms>): void {
    const symbol = this.listed.get(name);
    if (!symbol) throw new RangeError(`there is no symbol ${name}`);
    symbol.spec = { ...symbol.spec, ...terms };
  }

  /** Grows with every quote of a watched symbol, and when quotes stop or go on. */
  get revision(): number {
    return this.turns;
  }

  /** UTC milliseconds. */
  get nowMs(): number {
    return this.time;
  }

  /** Server milliseconds. */
  get serverMs(): number {
    return this.clock.serverMs(this.time);
  }

  /** The symbol's quote at this instant; null when it has none yet. */
  quote(symbol: MarketSymbol): LiveQuote | null {
    if (!this.isFrozen(symbol)) symbol.feed.jumpTo(this.time);
    return symbol.feed.quote.timeMs === 0 ? null : symbol.feed.quote;
  }

  /** When the first of some symbols has its next quote, in UTC milliseconds; infinite if none has one. */
  nextQuoteMs(names: readonly string[]): number {
    return names.reduce((first, name) => {
      const symbol = this.symbols.get(name);
      if (!symbol || this.quote(symbol) === null) return first;
      return min(first, symbol.feed.nextMs);
    }, Number.POSITIVE_INFINITY);
  }

  isOpen(symbol: MarketSymbol): boolean {
    return symbol.hours.isOpen(this.time);
  }

  /** Watches exactly these symbols quote by quote from now on. */
  watch(names: ReadonlySet<string>): void {
    const before = this.watched;
    this.watched = [...this.symbols.values()].filter(({ spec }) => names.has(spec.name));
    // Those that were already watched do not move: a quote that is due must not be skipped.
    for (const symbol of this.watched) if (!before.includes(symbol)) this.quote(symbol);
  }

  /** Stops the quotes of some symbols (or all, by null) while time goes on. */
  freeze(names: readonly string[] | null): void {
    this.turns++;
    this.frozenAll = names === null;
    this.frozen = new Set(names ?? []);
    for (const symbol of this.watched) this.quote(symbol);
  }

  /** Moves to an instant; going back is ignored. What is due by time alone comes before a quote of the same instant. */
  advanceTo(utcMs: number, listener: MarketListener): void {
    while (utcMs >= this.time) {
      const eventMs = max(listener.nextEventMs(), this.time);
      const next = this.nextQuote(min(utcMs, eventMs - 1));
      if (next) {
        this.time = max(this.time, next.feed.nextMs);
        this.take(next, listener);
      } else if (eventMs <= utcMs) {
        this.time = eventMs;
        // What happens by time reads the quotes of its instant, which must not be passed over by that.
        const quoted = this.stepAt(eventMs);
        listener.onEvent();
        for (const symbol of quoted) listener.onQuote(symbol);
      } else {
        this.time = utcMs;
        return;
      }
    }
  }

  /**
   * Takes the quotes of all watched symbols at the instant of the next one, then does what follows from each. What follows
   * from one reads the prices of the others: they must be there by then, and not be passed over.
   */
  private take(next: MarketSymbol, listener: MarketListener): void {
    const { nextMs } = next.feed;
    this.turns++;
    next.feed.step();
    if (this.watched.length === 1) return listener.onQuote(next);
    const others = this.stepAt(nextMs);
    listener.onQuote(next);
    for (const symbol of others) listener.onQuote(symbol);
  }

  /** Moves the watched symbols that are quoted at an instant to that quote. */
  private stepAt(instantMs: number): readonly MarketSymbol[] {
    const quoted = this.watched.filter((symbol) => symbol.feed.nextMs === instantMs && !this.isFrozen(symbol));
    if (quoted.length > 0) this.turns++;
    for (const { feed } of quoted) feed.step();
    return quoted;
  }

  /** The watched symbol whose next quote comes first, if that is due by an instant. */
  private nextQuote(untilMs: number): MarketSymbol | null {
    let first: MarketSymbol | null = null;
    let firstMs = untilMs;
    for (const symbol of this.watched) {
      const { nextMs } = symbol.feed;
      if (nextMs <= firstMs && (first === null || nextMs < firstMs) && !this.isFrozen(symbol)) {
        first = symbol;
        firstMs = nextMs;
      }
    }
    return first;
  }

  private isFrozen(symbol: MarketSymbol): boolean {
    // Asked for with every look at a quote.
    return this.frozenAll || (this.frozen.size > 0 && this.frozen.has(symbol.spec.name));
  }
}
