import { isBuyOrder, OrderFilling, OrderState, OrderType, PositionType, TradeReason } from '@libs/terminal-client';
import type { LiveQuote } from '../market/live-quote';
import type { MarketSymbol } from '../market/market';
import type { AccountRules } from './account-rules';
import type { ActiveOrder } from './book';
import { type Desk, symbolOf } from './desk';
import type { Fill, Fills } from './fills';
import { execute } from './liquidity';
import type { MarketOrders } from './market-orders';
import { finish } from './orders';
import { isStopLimit } from './pending-orders';
import { type Bounds, boundsOf, isCrossed, isTriggered, reachedLevel } from './triggers';

/** Carries out what waits for a price: pending orders, and the levels of positions. */
export class Watcher {
  private version = -1;
  private readonly bounds = new Map<string, Bounds | null>();

  constructor(
    private readonly desk: Desk,
    private readonly rules: AccountRules,
    private readonly fills: Fills,
    private readonly marketOrders: MarketOrders,
  ) {}

  /** A symbol has a new quote. Returns true when something was done. */
  onQuote(symbol: MarketSymbol): boolean {
    const bounds = this.boundsOf(symbol.spec.name);
    const { quote } = symbol.feed;
    if (!bounds || !isCrossed(bounds, quote)) return false;
    this.fillOrders(symbol, quote);
    this.closeByLevels(symbol, quote);
    return true;
  }

  /** Symbols that have to be followed quote by quote: with positions or orders, and those that convert their results. */
  watchedSymbols(): Set<string> {
    const { book, conversion } = this.desk;
    const names = new Set([...book.positions.values(), ...book.orders.values()].map(({ symbol }) => symbol));
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

  private fillOrders(symbol: MarketSymbol, quote: LiveQuote): void {
    const waiting = [...this.desk.book.orders.values()].filter((order) => order.symbol === symbol.spec.name);
    for (const order of waiting) {
      if (isStopLimit(order.type) && isTriggered(order, quote)) this.convert(order);
      if (!isStopLimit(order.type) && isTriggered(order, quote)) this.fill(order, symbol, quote);
    }
  }

  /** A touched stop-limit becomes a limit order under the same ticket. */
  private convert(order: ActiveOrder): void {
    order.type = order.type === OrderType.BUY_STOP_LIMIT ? OrderType.BUY_LIMIT : OrderType.SELL_LIMIT;
    order.type_filling = OrderFilling.RETURN;
    order.price_open = order.price_stoplimit;
    this.desk.book.putOrder(order);
  }

  private fill(order: ActiveOrder, symbol: MarketSymbol, quote: LiveQuote): void {
    const isBuy = isBuyOrder(order.type);
    const price = isBuy ? quote.ask : quote.bid;
    const { type, magic, comment, reason } = order;
    const volume = order.volume_current;
    const opening = { symbol, type: isBuy ? OrderType.BUY : OrderType.SELL, volume, price };
    order.price_current = price;
    // A partly filled order was paid for when it started.
    const isNew = order.state !== OrderState.PARTIAL && type > OrderType.SELL;
    if (isNew && (this.rules.money(opening) ?? this.rules.hedge(opening))) {
      finish(this.desk, order, OrderState.REJECTED);
      return;
    }
    const fill = { symbol, order, isBuy, volume, price, comment, reason, magic };
    if (order.closes === 0) execute(this.desk, this.fills, fill);
    else this.closeFurther(fill);
  }

  /** The rest of a closing order: void once its position is gone, and never more than that still holds. */
  private closeFurther(fill: Fill): void {
    const { order } = fill;
    const closes = this.desk.book.positions.get(order.closes);
    if (!closes || closes.volume < order.volume_current) finish(this.desk, order, OrderState.CANCELED);
    else execute(this.desk, this.fills, { ...fill, closes });
  }

  private closeByLevels(symbol: MarketSymbol, quote: LiveQuote): void {
    const open = [...this.desk.book.positions.values()].filter((position) => position.symbol === symbol.spec.name);
    for (const position of open) {
      const level = reachedLevel(position, quote);
      if (!level || !this.desk.book.positions.has(position.ticket)) continue;
      const price = position.type === PositionType.BUY ? quote.bid : quote.ask;
      const reason = level === 'sl' ? TradeReason.SL : TradeReason.TP;
      const comment = `[${level} ${position[level].toFixed(symbol.spec.digits)}]`;
      this.marketOrders.closeByServer(position, symbol, price, reason, comment);
    }
  }
}
