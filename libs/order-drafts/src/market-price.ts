import { isBuyOrder, OrderType, type Tick } from '@libs/terminal-client';

/** The side of the quote that an order of this type is measured by: ask for buys, bid for sells. */
export function marketPrice(type: number, tick: Pick<Tick, 'bid' | 'ask'>): number {
  return isBuyOrder(type) ? tick.ask : tick.bid;
}

/** The side of the quote that closes a position of an order of this type. */
export function closingPrice(type: number, tick: Pick<Tick, 'bid' | 'ask'>): number {
  return isBuyOrder(type) ? tick.bid : tick.ask;
}

export function isMarketOrder(type: number): boolean {
  return type === OrderType.BUY || type === OrderType.SELL;
}

export function isStopLimitOrder(type: number): boolean {
  return type === OrderType.BUY_STOP_LIMIT || type === OrderType.SELL_STOP_LIMIT;
}

export function isLimitOrder(type: number): boolean {
  return type === OrderType.BUY_LIMIT || type === OrderType.SELL_LIMIT;
}
