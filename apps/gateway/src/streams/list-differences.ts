import type { TradeOrder, TradePosition } from '@libs/terminal-client';
import type { AccountLists } from './account-look';
import type { KnownAccount } from './known-account';

/** Fields whose change is a change of a position; price, profit and swap follow the market. A broker may rename a symbol. */
const positionFields = ['ticket', 'symbol', 'type', 'volume', 'price_open', 'sl', 'tp', 'magic'] as const;
/** Fields whose change is a change of an order. */
const orderFields = [
  'symbol',
  'type',
  'state',
  'volume_current',
  'price_open',
  'price_stoplimit',
  'sl',
  'tp',
  'type_time',
  'time_expiration',
] as const;

export function positionDifferences(before: TradePosition, now: TradePosition): string[] {
  return positionFields.filter((field) => before[field] !== now[field]);
}

export function orderDifferences(before: TradeOrder, now: TradeOrder): string[] {
  return orderFields.filter((field) => before[field] !== now[field]);
}

/** Whether the lists show anything that has not been reported. */
export function differs({ positions, orders }: KnownAccount, lists: AccountLists): boolean {
  if (lists.positions.length !== positions.size || lists.orders.length !== orders.size) return true;
  const samePositions = lists.positions.every((now) => {
    const before = positions.get(now.identifier);
    return before !== undefined && positionDifferences(before.record, now).length === 0;
  });
  const sameOrders = lists.orders.every((now) => {
    const before = orders.get(now.ticket);
    return before !== undefined && orderDifferences(before, now).length === 0;
  });
  return !(samePositions && sameOrders);
}
