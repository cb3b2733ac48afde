import type { ApiError } from '@libs/envelope';
import type { OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded } from './refusal';

const usualDeviationPoints = 20;

/** The deviation in points of a request that names none: never more than the operator allows. */
export function defaultDeviation(limits: Pick<OrderLimits, 'maxDeviationPoints'>): number {
  return Math.min(usualDeviationPoints, limits.maxDeviationPoints);
}

/** MAX_ORDER_DEVIATION, in points (spec: pre-trade check 4). */
export function deviationLimit(order: Pick<ProposedOrder, 'deviation'>, limits: OrderLimits): ApiError | null {
  if (order.deviation <= limits.maxDeviationPoints) return null;
  return limitExceeded(
    'order_deviation_exceeded',
    `deviation ${order.deviation} is above MAX_ORDER_DEVIATION ${limits.maxDeviationPoints}`,
    { limit: limits.maxDeviationPoints, value: order.deviation, setting: 'MAX_ORDER_DEVIATION', field: 'deviation' },
  );
}
