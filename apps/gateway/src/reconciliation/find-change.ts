import { isEnd } from '@libs/account-evidence';
import { OrderState, type TradeOrder } from '@libs/terminal-client';
import type { ChangeableValues, IntentRecord } from '../trade-core/journal-records';
import type { BrokerSnapshot } from './broker-snapshot';
import { isSameValue, valuesOf } from '../orders/kept-values';
import { found, type Finding } from './finding';

/**
 * The outcome of a lost change of levels. A change leaves no trace but its values, so it counts as not executed only
 * while the previous values are in force and nothing else can have restored them.
 * @param changes other changes of the same ticket written since
 */
export function findLevels(intent: IntentRecord, broker: BrokerSnapshot, changes: readonly IntentRecord[]): Finding {
  const { request } = intent;
  const position = broker.positions.find(({ ticket }) => ticket === request.position);
  if (!position) return undecidable(`position ${request.position} is no longer open`);
  const finding = judge(intent, { sl: position.sl, tp: position.tp }, changes);
  return finding === 'asked' ? found({}) : finding;
}

/** The outcome of a lost change of a pending order, whose last values stay in the history. */
export function findChangedOrder(
  intent: IntentRecord,
  { orders, historyOrders }: BrokerSnapshot,
  changes: readonly IntentRecord[],
): Finding {
  const { request } = intent;
  const order = [...orders, ...historyOrders].find(({ ticket }) => ticket === request.order);
  if (!order) return undecidable(`order ${request.order} is neither pending nor in the history`);
  const finding = judge(intent, valuesOf(order), changes);
  return finding === 'asked' ? found({ order: order.ticket }) : finding;
}

/**
 * The outcome of a lost cancellation: an order that ended in another way was not cancelled. The history decides, because a list of
 * orders may still show what has ended.
 */
export function findCancelled({ request }: IntentRecord, { orders, historyOrders }: BrokerSnapshot): Finding {
  const done = historyOrders.find(({ ticket }) => ticket === request.order);
  if (isEnd(done)) return cancelledBy(done);
  if (orders.some(({ ticket }) => ticket === request.order)) return 'nothing';
  // A row without an end is not loaded yet.
  return done ? 'undecided' : undecidable(`order ${request.order} is neither pending nor in the history`);
}

function cancelledBy({ ticket, state }: TradeOrder): Finding {
  if (state === OrderState.CANCELED) return found({ order: ticket });
  // Some brokers show a cancelled rest in this way.
  if (state === OrderState.PARTIAL) return undecidable(`order ${ticket} ended with a part of it filled`);
  return { kind: 'absent' };
}

/** The values of a pending order that a modification sets. */
function judge(intent: IntentRecord, now: ChangeableValues, changes: readonly IntentRecord[]): Finding | 'asked' {
  if (isSame(now, intent.request)) return 'asked';
  if (changes.some(({ outcome }) => outcome.kind === 'pending')) return 'undecided';
  if (changes.some(({ outcome }) => outcome.kind === 'done')) {
    return undecidable('it was changed again by a later request');
  }
  if (!intent.standing) return undecidable('the values before the send were not recorded');
  if (!isSame(now, intent.standing)) {
    return undecidable('neither the requested nor the previous values are in force');
  }
  // Another lost change may have restored the previous values; any other values of it would be in force.
  const mayBePutBack = changes.some(({ request, outcome }) => outcome.kind === 'unknown' && isSame(now, request));
  return mayBePutBack ? undecidable('it may have been changed again by a later request') : 'nothing';
}

function isSame(now: ChangeableValues, other: ChangeableValues): boolean {
  const isSameTime = now.type_time === undefined || (other.type_time ?? now.type_time) === now.type_time;
  const values = ['sl', 'tp', 'price', 'stoplimit', 'expiration'] as const;
  return (
    isSameTime &&
    values.every((name) => {
      const value = now[name];
      return value === undefined || isSameValue(value, other[name] ?? 0);
    })
  );
}

function undecidable(reason: string): Finding {
  return { kind: 'undecidable', reason };
}
