import type { MarketSymbol } from '../market/market';
import { type Desk, symbolOf } from './desk';
import type { OpenPosition } from './positions-on-symbol';

/** The result of one symbol's positions, with what it was computed from. */
interface SymbolTotal {
  readonly symbol: MarketSymbol;
  /** The symbols whose quotes it depends on: itself, and those that convert it. */
  readonly priced: readonly MarketSymbol[];
  version: number;
  quotes: number;
  total: number;
}

/** A symbol with open positions, in the order in which they came. */
interface OpenSymbol {
  readonly known: SymbolTotal;
  readonly positions: readonly OpenPosition[];
  readonly of: { readonly version: number };
}

/**
 * The floating result of all positions, swap included. Each read adds up one number for each symbol; the positions of a symbol are
 * valued again only after a new price of it, or a change of one of them.
 */
export class FloatingTotal {
  private readonly totals = new Map<string, SymbolTotal>();
  /** The symbols with positions, as of a version of the book. It is read with every quote. */
  private open: readonly OpenSymbol[] = [];
  private openVersion = -1;

  /** @param resultOf the result of a position at present prices, without swap */
  constructor(
    private readonly desk: Desk,
    private readonly resultOf: (position: OpenPosition, symbol: MarketSymbol) => number,
  ) {}

  /** Of all positions, at present prices. */
  now(): number {
    const { version } = this.desk.book;
    if (version !== this.openVersion) {
      this.open = this.openSymbols();
      this.openVersion = version;
    }
    let total = 0;
    for (const each of this.open) total += this.ofSymbol(each);
    return total;
  }

  private openSymbols(): OpenSymbol[] {
    const open: OpenSymbol[] = [];
    for (const [name, positions] of this.desk.book.positionsOn) {
      if (positions.size > 0) open.push({ known: this.known(name), positions: [...positions.all()], of: positions });
    }
    return open;
  }

  private ofSymbol({ known, positions, of: { version } }: OpenSymbol): number {
    const quotes = this.quotesOf(known);
    if (known.version === version && known.quotes === quotes) return known.total;
    let total = 0;
    for (const position of positions) total += this.resultOf(position, known.symbol) + position.swap;
    known.total = total;
    known.version = version;
    known.quotes = quotes;
    return total;
  }

  /** Number of quotes of its symbols until now. */
  private quotesOf({ priced }: SymbolTotal): number {
    let quotes = 0;
    for (const symbol of priced) {
      this.desk.market.quote(symbol);
      quotes += symbol.feed.changes;
    }
    return quotes;
  }

  private known(name: string): SymbolTotal {
    let known = this.totals.get(name);
    if (known) return known;
    const symbol = symbolOf(this.desk, name);
    const { currency_profit } = symbol.spec;
    const others = this.desk.conversion.symbolsFor(currency_profit).map((other) => symbolOf(this.desk, other));
    known = { symbol, priced: [...new Set([symbol, ...others])], version: -1, quotes: -1, total: 0 };
    this.totals.set(name, known);
    return known;
  }
}
