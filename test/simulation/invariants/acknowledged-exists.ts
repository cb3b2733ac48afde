import type { TradeOrder } from '@libs/terminal-client';
import type { Ask, HttpAnswer } from '../asks';
import { openMarker } from '../sends';

/** What the broker's books say of an order: active, done, or null when there is no such order. */
export type OrderAtBroker = (ticket: number) => TradeOrder | null;

/** An acknowledged order exists, and a key names the same order however often it is asked. */
export function acknowledgedButMissing(ask: Ask, answer: HttpAnswer, orderAt: OrderAtBroker): string[] {
  const ticket = namedOrder(ask, answer);
  if (ticket === null) return [];
  if (ask.order !== null && ask.order !== ticket && !ask.isForgotten) {
    return [`${ask.key} was acknowledged with order ${ask.order}, and now with order ${ticket}`];
  }
  const order = orderAt(ticket);
  if (!order) return [`${ask.key} was acknowledged with order ${ticket}, which the broker does not have`];
  return [];
}

/**
 * A success is that of the parameters that were sent with it, not of others under the same key.
 * @param marker how an order with these parameters shows at the broker
 */
export function acknowledgedForOthers(
  ask: Ask,
  answer: HttpAnswer,
  marker: string | null,
  orderAt: OrderAtBroker,
): string[] {
  if (marker === null || (ask.kind !== 'open' && ask.kind !== 'pending')) return [];
  const ticket = namedOrder(ask, answer);
  const order = ticket === null ? null : orderAt(ticket);
  if (!order || openMarker(order.magic, order.comment) === marker) return [];
  return [`${ask.key} asked for ${marker} and was acknowledged with order ${ticket}, which has other parameters`];
}

/**
 * Every order belongs to one key: no other one was acknowledged with it.
 * @param isForgotten no disk has the send that made this order: the gateway may take it for that of a lost close
 */
export function acknowledgedToTwo(
  ask: Ask,
  answer: HttpAnswer,
  asks: Iterable<Ask>,
  isForgotten: (ticket: number) => boolean,
): string[] {
  const ticket = namedOrder(ask, answer);
  if (ticket === null || isForgotten(ticket)) return [];
  return [...asks]
    .filter((other) => other !== ask && other.order === ticket)
    .map((other) => `order ${ticket} was acknowledged to ${ask.key} and to ${other.key}`);
}

const makesOrder: readonly Ask['kind'][] = ['open', 'pending', 'close', 'close_partial'];

/** The order that an answer of success says a request made; null where it made none. */
export function namedOrder({ kind }: Ask, { status, body }: HttpAnswer): number | null {
  if (status >= 300 || !makesOrder.includes(kind) || body['already_closed'] === true) return null;
  const { result } = body;
  if (typeof result !== 'object' || result === null || !('order' in result)) return null;
  return typeof result.order === 'number' && result.order > 0 ? result.order : null;
}
