import { validationError, type FieldProblem } from '@libs/envelope';
import { OrderFilling, OrderType } from '@libs/terminal-client';
import { defaultDeviation } from '../pre-trade/deviation-limit';
import { isMarketOrder, isStopLimitOrder } from '../pre-trade/market-price';
import type { OrderLimits, ProposedOrder } from '../pre-trade/proposed-order';
import { expirationMs } from './expiration.validator';
import type { FillingWord, OrderRequest } from './order.request';

/**
 * The order that a body requests.
 * @throws ApiError validation_error for fields that its type lacks or does not take
 */
export function proposedOrderOf(body: OrderRequest, limits: OrderLimits): ProposedOrder {
  const type = OrderType[body.type];
  const problems = problemsBetweenFields(body, type);
  if (problems.length > 0) throw validationError(...problems);
  return {
    symbol: body.symbol,
    type,
    volume: body.volume,
    price: body.price ?? null,
    stoplimit: body.stoplimit ?? null,
    // The terminal writes "no level" as 0, and so do clients of it.
    sl: body.sl || null,
    tp: body.tp || null,
    deviation: body.deviation ?? defaultDeviation(limits),
    filling: body.type_filling == null ? null : fillingOf(body.type_filling),
    expirationMs: body.expiration == null ? null : expirationMs(body.expiration),
  };
}

function problemsBetweenFields(body: OrderRequest, type: number): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!isMarketOrder(type) && body.price == null) {
    problems.push({ field: 'price', problem: `is required for ${body.type}` });
  }
  if (isStopLimitOrder(type) && body.stoplimit == null) {
    problems.push({ field: 'stoplimit', problem: `is required for ${body.type}` });
  }
  if (!isStopLimitOrder(type) && body.stoplimit != null) {
    problems.push({ field: 'stoplimit', problem: 'is for stop-limit orders only' });
  }
  if (isMarketOrder(type) && body.expiration != null) {
    problems.push({ field: 'expiration', problem: 'is for pending orders only' });
  }
  return problems;
}

function fillingOf(given: FillingWord | 0 | 1 | 2): OrderFilling {
  return typeof given === 'number' ? given : OrderFilling[given];
}
