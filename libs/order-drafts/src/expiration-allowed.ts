import { ExpirationFlag } from '@libs/terminal-client';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused, type OrderRefusal } from './refusal';

/** The expiration of an order must be in the future, and its symbol must support one. */
export function expirationAllowed(
  order: Pick<ProposedOrder, 'expirationMs'>,
  { info, nowMs }: Market,
): OrderRefusal | null {
  if (order.expirationMs === null) return null;
  const value = isoOf(order.expirationMs);
  if (order.expirationMs <= nowMs) {
    return fieldRefused('expiration', `must be in the future; now is ${isoOf(nowMs)}`, isoOf(nowMs), value);
  }
  if ((info.expiration_mode & ExpirationFlag.SPECIFIED) !== 0) return null;
  return fieldRefused('expiration', `${info.name} takes no expiration time`, info.expiration_mode, value);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
