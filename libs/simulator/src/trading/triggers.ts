import { OrderState, OrderType, PositionType } from '@libs/terminal-client';
import type { LiveQuote } from '../market/live-quote';
import type { ActiveOrder, Book, OpenPosition } from './book';

/** Prices outside of which something on a symbol happens; looked at with every quote, so plain numbers. */
export interface Bounds {
  bidBelow: number;
  bidAbove: number;
  askBelow: number;
  askAbove: number;
}

/** True when an order is to be filled, or turned into a limit order, at a quote. */
export function isTriggered(order: ActiveOrder, { bid, ask }: LiveQuote): boolean {
  switch (order.type) {
    case OrderType.BUY_LIMIT:
      return ask <= order.price_open;
    case OrderType.BUY_STOP:
    case OrderType.BUY_STOP_LIMIT:
      return ask >= order.price_open;
    case OrderType.SELL_LIMIT:
      return bid >= order.price_open;
    case OrderType.SELL_STOP:
    case OrderType.SELL_STOP_LIMIT:
      return bid <= order.price_open;
    default:
      // The rest of a market order takes whatever the next quote offers.
      return order.state === OrderState.PARTIAL;
  }
}

/** Which level of a position a quote has reached; the stop loss first. */
export function reachedLevel(position: OpenPosition, { bid, ask }: LiveQuote): 'sl' | 'tp' | null {
  const { sl, tp } = position;
  if (position.type === PositionType.BUY) {
    if (sl !== 0 && bid <= sl) return 'sl';
    return tp !== 0 && bid >= tp ? 'tp' : null;
  }
  if (sl !== 0 && ask >= sl) return 'sl';
  return tp !== 0 && ask <= tp ? 'tp' : null;
}

/** The bounds of everything that waits on a symbol; null when nothing does. */
export function boundsOf(book: Book, symbol: string): Bounds | null {
  const bounds: Bounds = {
    bidBelow: Number.NEGATIVE_INFINITY,
    bidAbove: Number.POSITIVE_INFINITY,
    askBelow: Number.NEGATIVE_INFINITY,
    askAbove: Number.POSITIVE_INFINITY,
  };
  let waits = false;
  for (const order of book.orders.values()) {
    if (order.symbol !== symbol) continue;
    waits = true;
    narrowToOrder(bounds, order);
  }
  for (const { symbol: name, type, sl, tp } of book.positions.values()) {
    if (name !== symbol || (sl === 0 && tp === 0)) continue;
    waits = true;
    if (type === PositionType.BUY) {
      if (sl !== 0) bounds.bidBelow = Math.max(bounds.bidBelow, sl);
      if (tp !== 0) bounds.bidAbove = Math.min(bounds.bidAbove, tp);
    } else {
      if (sl !== 0) bounds.askAbove = Math.min(bounds.askAbove, sl);
      if (tp !== 0) bounds.askBelow = Math.max(bounds.askBelow, tp);
    }
  }
  return waits ? bounds : null;
}

function narrowToOrder(bounds: Bounds, { type, price_open: price }: ActiveOrder): void {
  switch (type) {
    case OrderType.BUY_LIMIT:
      bounds.askBelow = Math.max(bounds.askBelow, price);
      break;
    case OrderType.BUY_STOP:
    case OrderType.BUY_STOP_LIMIT:
      bounds.askAbove = Math.min(bounds.askAbove, price);
      break;
    case OrderType.SELL_LIMIT:
      bounds.bidAbove = Math.min(bounds.bidAbove, price);
      break;
    case OrderType.SELL_STOP:
    case OrderType.SELL_STOP_LIMIT:
      bounds.bidBelow = Math.max(bounds.bidBelow, price);
      break;
    default:
      bounds.bidAbove = 0;
  }
}

export function isCrossed(bounds: Bounds, { bid, ask }: LiveQuote): boolean {
  return bid <= bounds.bidBelow || bid >= bounds.bidAbove || ask <= bounds.askBelow || ask >= bounds.askAbove;
}
