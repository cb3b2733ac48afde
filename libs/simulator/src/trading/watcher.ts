import { isBuyOrder, PositionType } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { BarWalk } from './bar-walk';
import { type Desk, symbolOf } from './desk';
import { isStopLimit } from './pending-orders';
import type { Triggered } from './triggered';
import {
  beyondOf,
  type Bounds,
  boundsOf,
  isCrossed,
  isDue,
  isReached,
  levels,
  levelTrigger,
  openOn,
  waitingOn,
} from './triggers';

/** Carries out what waits for a price: pending orders, and the levels of positions. */
export class Watcher {
  private version = -1;
  private readonly bounds = new Map<string, Bounds | null>();

  constructor(
    private readonly desk: Desk,
    private readonly triggered: Triggered,
  ) {}

  /**
   * A symbol has a new quote. Inside a replayed bar, everything on the path to it fills at its own price; else everything
   * that the quote has reached fills at the quote.
   */
  onQuote(symbol: MarketSymbol): void {
    const bounds = this.boundsOf(symbol.spec.name);
    if (!bounds || !isCrossed(bounds, symbol.feed.quote)) return;
    if (symbol.feed.isInsideBar) new BarWalk(this.desk, symbol, this.triggered).run();
    else this.carryOut(symbol, beyondOf(symbol.spec, symbol.feed.source.limitFill));
  }

  /** Fills what the present quote has reached already: an order was placed through the market. */
  atPresentQuote(symbol: MarketSymbol): void {
    this.carryOut(symbol, beyondOf(symbol.spec, symbol.feed.source.limitFill));
  }

  /** Symbols that have to be followed quote by quote: with positions or orders, and those that convert their results. */
  watchedSymbols(): Set<string> {
    const { book, conversion } = this.desk;
    const names = new Set([...book.orders.values()].map(({ symbol }) => symbol));
    for (const [symbol, { size }] of book.positionsOn) if (size > 0) names.add(symbol);
    for (const name of [...names]) {
      const { spec } = symbolOf(this.desk, name);
      for (const other of conversion.symbolsFor(spec.currency_profit)) names.add(other);
    }
    return names;
  }

  private boundsOf(symbol: string): Bounds | null {
    if (this.version !== this.desk.book.version) {
      this.bounds.clear();
      this.version = this.desk.book.version;
    }
    let bounds = this.bounds.get(symbol);
    if (bounds === undefined) {
      bounds = boundsOf(this.desk.book, symbol);
      this.bounds.set(symbol, bounds);
    }
    return bounds;
  }

  /** @param beyond by how much a limit or a target has to be exceeded */
  private carryOut(symbol: MarketSymbol, beyond: number): void {
    const { quote } = symbol.feed;
    const { book } = this.desk;
    for (const order of waitingOn(book, symbol)) {
      if (isStopLimit(order.type) && isDue(order, quote, beyond)) this.triggered.convert(order);
      if (isStopLimit(order.type) || !isDue(order, quote, beyond)) continue;
      this.triggered.fill(order, symbol, isBuyOrder(order.type) ? quote.ask : quote.bid);
    }
    for (const position of openOn(book, symbol)) {
      const level = levels.find((name) => {
        const trigger = levelTrigger(position, name);
        return trigger !== null && isReached(trigger, quote, beyond);
      });
      if (level === undefined || !book.positions.has(position.ticket)) continue;
      this.triggered.close(position, level, symbol, position.type === PositionType.BUY ? quote.bid : quote.ask);
    }
  }
}
