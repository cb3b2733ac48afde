import { OrderState, OrderType, PositionType } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import type { LimitFill } from '../quotes/quote-source';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import type { ActiveOrder, Book, OpenPosition } from './book';

/** Prices outside of which something on a symbol happens; compared with every quote, so plain numbers. */
export interface Bounds {
  bidBelow: number;
  bidAbove: number;
  askBelow: number;
  askAbove: number;
}

/** The two prices of a quote. */
export interface Prices {
  bid: number;
  ask: number;
}

/** What a waiting order or level waits for: one side of the quote, at a price. */
export interface Trigger {
  readonly side: keyof Prices;
  /** It waits for the side to rise to the price; else to fall to it. */
  readonly isAbove: boolean;
  readonly price: number;
  /** A limit order or a target: its price is a favourable one, and may have to be exceeded. */
  readonly isLimit: boolean;
}

/** What an order waits for is of its type and its price. */
type Waiting = Pick<ActiveOrder, 'type' | 'price_open'>;

/** What a pending order waits for; null for the rest of a market order, which takes whatever the next quote offers. */
export function triggerOf({ type, price_open: price }: Waiting): Trigger | null {
  switch (type) {
    case OrderType.BUY_LIMIT:
      return { side: 'ask', isAbove: false, price, isLimit: true };
    case OrderType.BUY_STOP:
    case OrderType.BUY_STOP_LIMIT:
      return { side: 'ask', isAbove: true, price, isLimit: false };
    case OrderType.SELL_LIMIT:
      return { side: 'bid', isAbove: true, price, isLimit: true };
    case OrderType.SELL_STOP:
    case OrderType.SELL_STOP_LIMIT:
      return { side: 'bid', isAbove: false, price, isLimit: false };
    default:
      return null;
  }
}

/** A stop loss or a take-profit of a position, in the order in which they are checked. */
export type Level = 'sl' | 'tp';
export const levels: readonly Level[] = ['sl', 'tp'];

/** The side of a position, and its levels; 0 is none. */
export type Levelled = Pick<OpenPosition, 'type' | 'sl' | 'tp'>;

/** What a level of a position waits for; null without the level. */
export function levelTrigger(position: Levelled, level: Level): Trigger | null {
  const price = position[level];
  if (price === 0) return null;
  const isLimit = level === 'tp';
  const isBuy = position.type === PositionType.BUY;
  return { side: isBuy ? 'bid' : 'ask', isAbove: isBuy === isLimit, price, isLimit };
}

/** Less than a point by what a sum of two doubles can be off. */
const nearlyOne = 1 - 1e-6;

/** By how much the price has to exceed a limit or a target of a symbol, in price. */
export function beyondOf(spec: Pick<SymbolSpec, 'digits'>, limitFill: LimitFill | undefined): number {
  return limitFill === 'through' ? pointOf(spec) * nearlyOne : 0;
}

/** @param beyond by how much a limit or a target has to be exceeded */
export function thresholdOf({ isAbove, isLimit, price }: Trigger, beyond: number): number {
  if (!isLimit) return price;
  return isAbove ? price + beyond : price - beyond;
}

/** Whether a quote is at a trigger's price or past it. */
export function isReached(trigger: Trigger, quote: Readonly<Prices>, beyond: number): boolean {
  const needed = thresholdOf(trigger, beyond);
  return trigger.isAbove ? quote[trigger.side] >= needed : quote[trigger.side] <= needed;
}

/** True when an order is to be filled, or turned into a limit order, at a quote. */
export function isDue(order: ActiveOrder, quote: Readonly<Prices>, beyond: number): boolean {
  const trigger = triggerOf(order);
  return trigger ? isReached(trigger, quote, beyond) : order.state === OrderState.PARTIAL;
}

/** Active orders on a symbol, in the order of the book. */
export function waitingOn({ orders }: Book, { spec }: MarketSymbol): ActiveOrder[] {
  return [...orders.values()].filter(({ symbol }) => symbol === spec.name);
}

/** Open positions on a symbol, in the order of the book. */
export function openOn({ positionsOn }: Book, { spec }: MarketSymbol): OpenPosition[] {
  return [...(positionsOn.get(spec.name)?.all() ?? [])];
}

/** The bounds of everything that waits on a symbol; null when nothing does. */
export function boundsOf(book: Book, symbol: string): Bounds | null {
  const bounds = noBounds();
  let waits = false;
  for (const order of book.orders.values()) {
    if (order.symbol !== symbol) continue;
    waits = true;
    narrowToOrder(bounds, order);
  }
  for (const position of book.positionsOn.get(symbol)?.all() ?? []) {
    if (position.sl === 0 && position.tp === 0) continue;
    waits = true;
    narrowToLevels(bounds, position);
  }
  return waits ? bounds : null;
}

/** Bounds that no price is outside of. */
export function noBounds(): Bounds {
  return {
    bidBelow: Number.NEGATIVE_INFINITY,
    bidAbove: Number.POSITIVE_INFINITY,
    askBelow: Number.NEGATIVE_INFINITY,
    askAbove: Number.POSITIVE_INFINITY,
  };
}

export function narrowToLevels(bounds: Bounds, { type, sl, tp }: Levelled): void {
  if (type === PositionType.BUY) {
    if (sl !== 0) bounds.bidBelow = Math.max(bounds.bidBelow, sl);
    if (tp !== 0) bounds.bidAbove = Math.min(bounds.bidAbove, tp);
  } else {
    if (sl !== 0) bounds.askAbove = Math.min(bounds.askAbove, sl);
    if (tp !== 0) bounds.askBelow = Math.max(bounds.askBelow, tp);
  }
}

export function narrowToOrder(bounds: Bounds, { type, price_open: price }: Waiting): void {
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

export function isCrossed(bounds: Bounds, { bid, ask }: Readonly<Prices>): boolean {
  return bid <= bounds.bidBelow || bid >= bounds.bidAbove || ask <= bounds.askBelow || ask >= bounds.askAbove;
}
