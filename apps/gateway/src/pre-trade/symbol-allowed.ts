import type { ApiError } from '@libs/envelope';
import type { OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded } from './refusal';

/** SYMBOL_WHITELIST, where it is set (spec: pre-trade check 1). */
export function symbolAllowed(order: Pick<ProposedOrder, 'symbol'>, limits: OrderLimits): ApiError | null {
  if (limits.symbols.length === 0 || limits.symbols.includes(order.symbol)) return null;
  return limitExceeded('symbol_not_allowed', `${order.symbol} is not in SYMBOL_WHITELIST`, {
    limit: limits.symbols,
    value: order.symbol,
    setting: 'SYMBOL_WHITELIST',
    field: 'symbol',
  });
}
