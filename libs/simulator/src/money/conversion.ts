import type { MarketSymbol } from '../market/market';
import type { SymbolSpec } from '../symbols/symbol-spec';
import { exact, Money } from './decimals';

const one = new Money(1);

/** Symbols and their present prices. */
interface QuotedSymbols<Listed extends { readonly spec: SymbolSpec }> {
  readonly symbols: ReadonlyMap<string, Listed>;
  /** Null while there is no price. */
  quote(symbol: Listed): { readonly bid: number; readonly ask: number } | null;
}

/** How amounts of one currency become the deposit currency: a pair, read straight or upside down. */
interface Leg<Listed> {
  readonly symbol: Listed;
  readonly inverted: boolean;
}

/** Converts amounts into the deposit currency. */
export type Rates = Pick<
  Conversion,
  'deposit' | 'amountRate' | 'amountFactor' | 'marginRate' | 'directMarginRate' | 'symbolsFor'
>;

/**
 * Converts amounts into the deposit currency at current prices: a gain at the less favourable side of
 * the pair, a loss at the other, so that a position is never shown better than it could be closed.
 */
export class Conversion<Listed extends { readonly spec: SymbolSpec } = MarketSymbol> {
  private readonly routes = new Map<string, readonly Leg<Listed>[] | null>();

  constructor(
    private readonly market: QuotedSymbols<Listed>,
    readonly deposit: string,
  ) {}

  /** What one unit of a currency is worth to a holder of a gain (or a loss); null when no pair is quoted. */
  amountRate(currency: string, isGain: boolean): Money | null {
    return this.rate(currency, isGain);
  }

  /** What one unit of a currency costs as margin: at the ask for a buy, at the bid for a sell. */
  marginRate(currency: string, isBuy: boolean): Money | null {
    return this.rate(currency, !isBuy);
  }

  /** {@link marginRate} in doubles with all its digits; null where that needs decimals, and when no pair is quoted. */
  directMarginRate(currency: string, isBuy: boolean): number | null {
    const route = this.route(currency);
    const [leg, another] = route ?? [];
    if (!route || another || leg?.inverted === true) return null;
    if (!leg) return 1;
    const quote = this.market.quote(leg.symbol);
    return quote && (isBuy ? quote.ask : quote.bid);
  }

  /** {@link amountRate} in doubles, for the floating profit. NaN when no pair is quoted. */
  amountFactor(currency: string, isGain: boolean): number {
    let factor = 1;
    for (const { symbol, inverted } of this.route(currency) ?? []) {
      const quote = this.market.quote(symbol);
      if (!quote) return Number.NaN;
      factor = inverted ? factor / (isGain ? quote.ask : quote.bid) : factor * (isGain ? quote.bid : quote.ask);
    }
    return this.route(currency) ? factor : Number.NaN;
  }

  /** Whether there are pairs by which a currency becomes the deposit currency. */
  converts(currency: string): boolean {
    return this.route(currency) !== null;
  }

  /** The symbols a currency is converted by; empty for the deposit currency itself and where there are none. */
  symbolsFor(currency: string): readonly string[] {
    return (this.route(currency) ?? []).map(({ symbol }) => symbol.spec.name);
  }

  private rate(currency: string, atBid: boolean): Money | null {
    const route = this.route(currency);
    if (!route) return null;
    let rate: Money = one;
    for (const { symbol, inverted } of route) {
      const quote = this.market.quote(symbol);
      if (!quote) return null;
      rate = inverted ? rate.div(exact(atBid ? quote.ask : quote.bid)) : rate.mul(exact(atBid ? quote.bid : quote.ask));
    }
    return rate;
  }

  private route(currency: string): readonly Leg<Listed>[] | null {
    let route = this.routes.get(currency);
    if (route === undefined) {
      route = this.findRoute(currency);
      this.routes.set(currency, route);
    }
    return route;
  }

  private findRoute(currency: string): readonly Leg<Listed>[] | null {
    if (currency === this.deposit) return [];
    const direct = this.leg(currency, this.deposit);
    if (direct) return [direct];
    const toDollar = this.leg(currency, 'USD');
    const fromDollar = this.leg('USD', this.deposit);
    return toDollar && fromDollar ? [toDollar, fromDollar] : null;
  }

  private leg(from: string, to: string): Leg<Listed> | null {
    for (const symbol of this.market.symbols.values()) {
      const { currency_base: base, currency_profit: profit } = symbol.spec;
      if (base === from && profit === to) return { symbol, inverted: false };
      if (base === to && profit === from) return { symbol, inverted: true };
    }
    return null;
  }
}
