import { OrderFilling, OrderState, type TradeDeal } from '@libs/terminal-client';
import { difference } from '../money/decimals';
import type { Desk } from './desk';
import type { Fill, Fills } from './fills';
import { finish } from './orders';

/** What became of an order that met the market. */
export interface Execution {
  readonly deal: TradeDeal | null;
  /** Lots still to be filled by the same order. */
  readonly left: number;
}

/**
 * Fills an order as far as the symbol's depth goes at one quote, and does with the rest what its filling policy says:
 * FOK takes all or nothing, IOC drops the rest, RETURN leaves it active.
 *
 * @param most lots that are filled at most, whatever the depth and the filling policy; null for no such limit
 */
export function execute(desk: Desk, fills: Fills, fill: Fill, most: number | null = null): Execution {
  const { order, symbol } = fill;
  const { depth } = symbol.spec.market;
  const available = Math.min(most ?? depth ?? fill.volume, fill.volume);
  order.price_current = fill.price;
  if (available < fill.volume && order.type_filling === OrderFilling.FOK && most === null) {
    finish(desk, order, OrderState.CANCELED);
    return { deal: null, left: fill.volume };
  }
  const deal = fills.book(available === fill.volume ? fill : { ...fill, volume: available });
  order.volume_current = difference(order.volume_current, available);
  if (order.volume_current === 0) {
    finish(desk, order, OrderState.FILLED);
  } else if (order.type_filling === OrderFilling.RETURN) {
    order.state = OrderState.PARTIAL;
    desk.book.putOrder(order);
  } else {
    finish(desk, order, OrderState.CANCELED);
  }
  return { deal, left: order.volume_current };
}
