import { isEnd, isFillShown, type AccountLook } from '@libs/account-evidence';
import { OrderType, type TradeOrder } from '@libs/terminal-client';
import type { KnownAccount } from './known-account';
import { orderDifferences } from './list-differences';
import type { TradeChange } from './trade-event';

/**
 * Changes of orders since the last snapshot; updates `known`. An order ends only in the history, and what it has filled waits for its
 * deals.
 */
export function orderChanges(known: KnownAccount, look: AccountLook): TradeChange[] {
  const listed = new Map(look.orders.map((order) => [order.ticket, order]));
  return [...gone(known, look, listed), ...listedNow(known, look, listed), ...cameAndWent(known, look, listed)];
}

function gone(known: KnownAccount, look: AccountLook, listed: ReadonlyMap<number, TradeOrder>): TradeChange[] {
  const changes: TradeChange[] = [];
  for (const [ticket] of known.orders.entriesOf(look.scope && look.scope.orders)) {
    if (listed.has(ticket)) continue;
    const end = look.endOf.get(ticket);
    if (!isEnd(end) || !isFillShown(known, end, look)) continue;
    known.orders.delete(ticket);
    known.doneOrders.add(ticket, end.time_done);
    changes.push({ event: 'order', action: 'closed', order: end, complete: true });
  }
  return changes;
}

function listedNow(known: KnownAccount, look: AccountLook, listed: ReadonlyMap<number, TradeOrder>): TradeChange[] {
  const changes: TradeChange[] = [];
  for (const [ticket, order] of listed) {
    const before = known.orders.get(ticket);
    // A lagging list may still show an order that was reported as completed.
    if (!before && known.doneOrders.has(ticket, Number.POSITIVE_INFINITY)) continue;
    if (!isFillShown(known, order, look)) continue;
    const changed = before ? orderDifferences(before, order) : [];
    if (before && changed.length === 0) {
      known.orders.refresh(ticket, order);
      continue;
    }
    known.orders.set(ticket, order);
    if (before) changes.push({ event: 'order', action: 'changed', order, changed });
    else changes.push({ event: 'order', action: 'opened', order });
  }
  return changes;
}

/** Orders in the history that the list never showed: market orders, and short-lived pending ones. */
function cameAndWent(known: KnownAccount, look: AccountLook, listed: ReadonlyMap<number, TradeOrder>): TradeChange[] {
  const changes: TradeChange[] = [];
  for (const order of look.doneOrders) {
    const { ticket, time_done, type } = order;
    known.doneOrders.shown(ticket, time_done);
    if (listed.has(ticket) || known.orders.has(ticket) || known.doneOrders.has(ticket, time_done)) continue;
    if (!isFillShown(known, order, look)) continue;
    known.doneOrders.add(ticket, time_done);
    if (isPending(type)) changes.push({ event: 'order', action: 'opened', order });
    changes.push({ event: 'order', action: 'closed', order, complete: true });
  }
  return changes;
}

function isPending(type: number): boolean {
  return type !== OrderType.BUY && type !== OrderType.SELL && type !== OrderType.CLOSE_BY;
}
