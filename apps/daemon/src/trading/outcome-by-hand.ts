import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';
import { isClose } from './plan';
import { isOfShape, type TraceOptions } from './request-trace';

/**
 * Why a request cannot have become this order, as far as the broker's books tell; null when it can.
 * @param isKnown whether an order is known to have come from another request
 * @throws what the reads throw
 */
export async function objectionTo(
  intent: IntentRecord,
  order: number,
  isKnown: TraceOptions['isKnown'],
  { hasGateway, clientOf }: Pick<DeskSurroundings, 'hasGateway' | 'clientOf'>,
): Promise<string | null> {
  if (!intent.isEntry && !isClose(intent))
    return 'it makes no order: what it changed shows by itself, settle it as undone';
  if (!hasGateway(intent.broker)) return `gateway ${intent.broker} is not configured`;
  if (isKnown(order)) return `order ${order} came from another request`;
  const row = await clientOf(intent.broker).reads.orderFromTicket(order);
  if (row === null) return `the broker has no order ${order}`;
  const isOther = typeof row.client_order_id === 'string' && row.client_order_id !== intent.key;
  if (isOther) return `order ${order} came from request ${row.client_order_id}`;
  if (intent.isEntry)
    return isOfShape(row, intent) ? null : `order ${order} has not its symbol, magic, side and volume`;
  return row.position_id === intent.ticket ? null : `order ${order} does not act on position ${intent.ticket}`;
}
