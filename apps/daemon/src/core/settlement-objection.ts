import type { HistoryOrderRecord, OrderRequest } from '@libs/gateway-client';
import { OrderType, TradeReason } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { IntentRecord } from './records';
import { isClose } from './plan';

/** An order as the objections to a statement of the operator need it. */
export type SettledOrder = Pick<
  HistoryOrderRecord,
  'symbol' | 'magic' | 'type' | 'volume_initial' | 'reason' | 'position_id'
> & { readonly client_order_id?: string | null };

/**
 * Why a request cannot have become an order, as far as that is known without the broker's books; null if it can.
 * @param of whether the gateway of the request is configured, and whether the order came from another request
 */
export function objectionToStatement(
  intent: IntentRecord,
  order: number,
  of: { readonly hasGateway: boolean; readonly isOfAnother: boolean },
): string | null {
  if (!intent.isEntry && !isClose(intent)) {
    return 'the request creates no order; settle it with --undone, its effect is read from the account';
  }
  if (!of.hasGateway) return `gateway ${intent.broker} is not configured`;
  return of.isOfAnother ? `order ${order} came from another request` : null;
}

/**
 * Why a request cannot have become an order according to the broker's books; null if it can.
 * @param row the order there; null if the broker has none
 */
export function objectionToOrder(intent: IntentRecord, order: number, row: SettledOrder | null): string | null {
  if (row === null) return `the broker has no order ${order}`;
  const { client_order_id: key } = row;
  if (typeof key === 'string' && key !== intent.key) return `order ${order} came from request ${key}`;
  if (intent.isEntry) {
    return isOfShape(row, intent) ? null : `order ${order} does not match the request's symbol, magic, side and volume`;
  }
  return row.position_id === intent.ticket ? null : `order ${order} does not act on position ${intent.ticket}`;
}

/** Whether an order has the symbol, magic, type and volume of an entry, and was made by a program. */
function isOfShape(order: SettledOrder, { call }: IntentRecord): boolean {
  const { symbol, magic, type, volume } = call.body as OrderRequest;
  const isSame = order.symbol === symbol && order.magic === magic && order.type === OrderType[type];
  return isSame && order.reason === TradeReason.EXPERT && new Decimal(volume).eq(order.volume_initial);
}
