import type { OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded, type OrderRefusal } from './refusal';

const usualDeviationPoints = 20;

/** The default deviation in points, at most what the operator allows. */
export function defaultDeviation(limits: Pick<OrderLimits, 'maxDeviationPoints'>): number {
  return Math.min(usualDeviationPoints, limits.maxDeviationPoints);
}

/** MAX_ORDER_DEVIATION, in points. */
export function deviationLimit(order: Pick<ProposedOrder, 'deviation'>, limits: OrderLimits): OrderRefusal | null {
  if (order.deviation <= limits.maxDeviationPoints) return null;
  return limitExceeded(
    'order_deviation_exceeded',
    `deviation ${order.deviation} is above MAX_ORDER_DEVIATION ${limits.maxDeviationPoints}`,
    { limit: limits.maxDeviationPoints, value: order.deviation, setting: 'MAX_ORDER_DEVIATION', field: 'deviation' },
  );
}
