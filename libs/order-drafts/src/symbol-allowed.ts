import type { OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded, type OrderRefusal } from './refusal';

/** SYMBOL_WHITELIST, where it is set. */
export function symbolAllowed(order: Pick<ProposedOrder, 'symbol'>, limits: OrderLimits): OrderRefusal | null {
  if (limits.symbols.length === 0 || limits.symbols.includes(order.symbol)) return null;
  return limitExceeded('symbol_not_allowed', `${order.symbol} is not in SYMBOL_WHITELIST`, {
    limit: limits.symbols,
    value: order.symbol,
    setting: 'SYMBOL_WHITELIST',
    field: 'symbol',
  });
}
