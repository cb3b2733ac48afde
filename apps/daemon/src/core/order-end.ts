import type { DealRecord, HistoryOrderRecord } from '@libs/gateway-client';
import type { OrderGone } from '@libs/strategy';
import { OrderState } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { OwnedTicket } from './records';
import { bookDeals, inOrder, isWorking, openVolume } from './deal-booking';

/** An order as the broker's history, or its list of pending orders, has it. */
export type OrderFacts = Pick<HistoryOrderRecord, 'state' | 'position_id' | 'volume_initial' | 'volume_current'>;

/** What an order that is no longer in the list of pending orders means for its ticket. */
export type OrderEnd =
  /** It still waits, or the broker does not show all of its deals yet. */
  | { readonly kind: 'not yet' }
  /** On a netting account it filled into another position. */
  | { readonly kind: 'into'; readonly position: number }
  /** `changed`: its ticket without the order; null if the ticket stays as it is. */
  | { readonly kind: 'over'; readonly changed: OwnedTicket | null };

/** Order states that end an order with something unfilled. */
const endings: Readonly<Record<number, OrderGone['kind']>> = {
  [OrderState.CANCELED]: 'cancelled',
  [OrderState.REJECTED]: 'rejected',
  [OrderState.EXPIRED]: 'expired',
};

/**
 * Decides what became of the order of a ticket.
 * @param isHedging whether each order opens its own position
 * @param isSeen whether the last account snapshot has the position of the ticket
 */
export function orderEnd(
  owned: OwnedTicket,
  order: OrderFacts,
  { isHedging, isSeen }: { readonly isHedging: boolean; readonly isSeen: boolean },
): OrderEnd {
  if (endings[order.state] === undefined && order.state !== OrderState.FILLED) return { kind: 'not yet' };
  if (order.position_id !== 0 && order.position_id !== owned.ticket)
    return { kind: 'into', position: order.position_id };
  // Deals may be shown later than the end of the order. On a netting account, some may be in another position.
  const filled = filledOf(order);
  const isBooked = isHedging ? filled.lte(owned.volumeIn) : filled.isZero() || owned.volumeIn !== '0';
  if (!isBooked) return { kind: 'not yet' };
  const closed = openVolume(owned).lte(0) && !isSeen;
  return { kind: 'over', changed: closed || isWorking(owned) ? { ...owned, working: false, closed } : null };
}

/** Whether the row of an order states that it was executed, in part or whole. The rest of one that was cancelled is not always stated. */
export function hasFilled(order: Pick<OrderFacts, 'state' | 'volume_initial' | 'volume_current'>): boolean {
  if (order.state === OrderState.FILLED) return true;
  const isRestStated = endings[order.state] === undefined || order.volume_current > 0;
  return isRestStated && filledOf(order).gt(0);
}

/** The end of an order for the strategy; null if the order was filled in full, or its end was emitted before. */
export function goneOf(owned: OwnedTicket, order: OrderFacts): OrderGone | null {
  const kind = endings[order.state];
  if (kind === undefined || !isWorking(owned)) return null;
  return {
    intentId: owned.intentId,
    order: owned.ticket,
    stream: owned.stream,
    symbol: owned.symbol,
    kind,
    volume: order.volume_initial,
    filled: filledOf(order).toNumber(),
  };
}

/** The ticket of an order that filled into another position. */
export function endedTicket(owned: OwnedTicket): OwnedTicket {
  return { ...owned, working: false, closed: true };
}

/**
 * The ticket of a position that no strategy owns and that an order of the strategy filled into, with the deals before that
 * order booked: they count for the open volume, but not for the strategy's result.
 * @returns null while the broker does not show a deal of the order
 */
export function positionTicket(owned: OwnedTicket, position: number, deals: readonly DealRecord[]): OwnedTicket | null {
  const shown = inOrder(deals);
  const first = shown.findIndex(({ order }) => order === owned.ticket);
  if (first === -1) return null;
  const blank = { ...owned, ticket: position, deals: [], volumeIn: '0', volumeOut: '0', working: false };
  return bookDeals(blank, shown.slice(0, first), () => null).owned;
}

function filledOf(order: Pick<OrderFacts, 'volume_initial' | 'volume_current'>): Decimal {
  return new Decimal(order.volume_initial).minus(order.volume_current);
}
