import { OrderState, Retcode, type TradeOrder } from '@libs/terminal-client';
import { dealtFillOf, isFilledWhole } from '../orders/fill';
import type { IntentRecord } from '../trade-core/journal-records';
import { tagPattern } from '../trade-journal/key-marks';
import { ordersLeftFor } from '../trade-journal/order-for-each';
import { isNamedByOther, matchingOrders, possibleOrders, type ClaimOf } from '../trade-journal/trace-match';
import type { BrokerSnapshot } from './broker-snapshot';
import { findCancelled, findChangedOrder, findLevels } from './find-change';
import { found, type Finding } from './finding';

export interface Surroundings {
  readonly claimOf: ClaimOf;
  /** Sends in flight. */
  readonly underWay: readonly IntentRecord[];
  /** Other sends that are being looked up. */
  readonly rivals: readonly IntentRecord[];
  /** Other sends that the broker acknowledged without a ticket. */
  readonly acknowledged: readonly IntentRecord[];
  /** Other changes of the same position or order written since. */
  readonly laterChanges: readonly IntentRecord[];
}

/** Searches the broker snapshot for the effect of one send. */
export function findOutcome(intent: IntentRecord, broker: BrokerSnapshot, around: Surroundings): Finding {
  switch (intent.purpose) {
    case 'open':
    case 'place_pending':
    case 'close':
    case 'close_partial':
    case 'close_by':
      return findOrder(intent, broker, around);
    case 'modify_levels':
      return findLevels(intent, broker, around.laterChanges);
    case 'modify_order':
      return findChangedOrder(intent, broker, around.laterChanges);
    case 'cancel':
      return findCancelled(intent, broker);
  }
}

function findOrder(intent: IntentRecord, broker: BrokerSnapshot, around: Surroundings): Finding {
  const all = [...broker.orders, ...broker.historyOrders];
  const others = [...around.underWay, ...around.rivals, ...around.acknowledged];
  const candidates = matchingOrders(intent, all, around.claimOf).filter(
    (order) => !isNamedByOther(intent, order, others, around.claimOf),
  );
  const order = bestOf(intent, candidates);
  if (!order) return 'nothing';
  if (isInFlight(order)) return 'undecided';
  if (isTaggedBy(intent, order)) return outcomeFrom(intent, order, broker);
  const match = `order ${order.ticket} matches, but may belong to another request`;
  if (intent.ofLostJournal === true) return { kind: 'undecidable', reason: `the trade journal was lost; ${match}` };
  const isUnderWay = around.underWay.some((send) => possibleOrders(send, [order], around.claimOf).length > 0);
  if (isUnderWay) return 'undecided';
  const leftBy = (rivals: readonly IntentRecord[]): TradeOrder[] =>
    ordersLeftFor(intent, candidates, rivals, all, around.claimOf);
  if (leftBy(around.acknowledged).length === 0) {
    return { kind: 'undecidable', reason: `${match}, which was acknowledged without a ticket` };
  }
  // With an order for each of them, the assignment does not matter.
  const rivals = [...around.acknowledged, ...around.rivals];
  if (leftBy(rivals).length === 0) {
    const orders = candidates.map(({ ticket }) => `order ${ticket}`).join(', ');
    return { kind: 'contested', reason: `another request whose outcome is unknown may have made the same: ${orders}` };
  }
  // One of the orders may be that of a send under way, and is then none for a rival.
  const own = bestOf(intent, leftBy([...rivals, ...around.underWay]));
  if (!own) return 'undecided';
  return isInFlight(own) ? 'undecided' : outcomeFrom(intent, own, broker);
}

/** What an order that is not in flight proves about the send that made it. */
function outcomeFrom(intent: IntentRecord, order: TradeOrder, broker: BrokerSnapshot): Finding {
  const fill = dealtFillOf(
    intent,
    broker.deals.filter((deal) => deal.order === order.ticket),
  );
  if (intent.purpose === 'place_pending') {
    return order.state === OrderState.REJECTED ? { kind: 'absent' } : found({ order: order.ticket });
  }
  if (fill) {
    const isPartial = (fill.volume ?? 0) < intent.request.volume;
    // The broker may fill the rest of an order that is still active. Of one that was filled, deals are not loaded yet.
    if (isPartial && (isFilledWhole(order) || isActive(order, broker))) return 'undecided';
    return found({
      retcode: isPartial ? Retcode.DONE_PARTIAL : Retcode.DONE,
      order: order.ticket,
      deal: fill.deal ?? 0,
      volume: fill.volume ?? 0,
      price: fill.price ?? 0,
    });
  }
  if (order.state === OrderState.REJECTED || order.state === OrderState.CANCELED) return { kind: 'absent' };
  // Filled, but its deal is not visible yet; the next read has the price.
  return 'undecided';
}

function isActive({ ticket }: TradeOrder, { orders }: BrokerSnapshot): boolean {
  return orders.some((order) => order.ticket === ticket);
}

/** The tag of a key in the comment proves the owner of an order; any other comment may be shared. */
function isTaggedBy({ request }: IntentRecord, { comment }: TradeOrder): boolean {
  return tagPattern.test(comment) && comment === request.comment;
}

/** The oldest order with the exact comment that was sent, else the oldest of all. */
function bestOf(intent: IntentRecord, candidates: readonly TradeOrder[]): TradeOrder | undefined {
  const oldestFirst = [...candidates].sort((a, b) => a.time_setup_msc - b.time_setup_msc || a.ticket - b.ticket);
  return oldestFirst.find(({ comment }) => comment === intent.request.comment) ?? oldestFirst[0];
}

const inFlight: readonly number[] = [OrderState.STARTED, OrderState.REQUEST_ADD];

function isInFlight({ state }: TradeOrder): boolean {
  return inFlight.includes(state);
}
