import { OrderFilling, OrderType, type OrderTime } from '@libs/terminal-client';
import { defaultDeviation } from './deviation-limit';
import { isMarketOrder, isStopLimitOrder } from './market-price';
import type { OrderLimits, ProposedOrder } from './proposed-order';
import { fieldsRefused, type OrderRefusal } from './refusal';

/** The names of the order types that a client may request. */
export type OrderTypeWord = Exclude<keyof typeof OrderType, 'CLOSE_BY'>;

/** An order with the fields of `POST /order`. */
export interface OrderFields {
  readonly symbol: string;
  readonly type: OrderTypeWord;
  /** Lots. */
  readonly volume: number;
  readonly price?: number | null;
  readonly stoplimit?: number | null;
  /** The terminal and its clients write "no level" as 0. */
  readonly sl?: number | null;
  readonly tp?: number | null;
  /** Points. */
  readonly deviation?: number | null;
  readonly type_filling?: 'FOK' | 'IOC' | 'RETURN' | 'BOC' | OrderFilling | null;
  /** UTC milliseconds; null: good till cancelled. */
  readonly expirationMs: number | null;
  readonly timeType?: OrderTime;
}

/** The order that the fields request, or a refusal that names missing or unsupported fields of its type. */
export function proposedOrderOf(fields: OrderFields, limits: OrderLimits): ProposedOrder | OrderRefusal {
  const type = OrderType[fields.type];
  const problems = problemsBetweenFields(fields, type);
  if (problems.length > 0) return fieldsRefused(problems);
  return {
    symbol: fields.symbol,
    type,
    volume: fields.volume,
    price: fields.price ?? null,
    stoplimit: fields.stoplimit ?? null,
    sl: fields.sl || null,
    tp: fields.tp || null,
    deviation: fields.deviation ?? defaultDeviation(limits),
    filling: fillingOf(fields.type_filling ?? null),
    expirationMs: fields.expirationMs,
    ...(fields.timeType === undefined ? {} : { timeType: fields.timeType }),
  };
}

function problemsBetweenFields(fields: OrderFields, type: number): { field: string; problem: string }[] {
  const problems = [];
  if (!isMarketOrder(type) && fields.price == null) {
    problems.push({ field: 'price', problem: `is required for ${fields.type}` });
  }
  if (isStopLimitOrder(type) && fields.stoplimit == null) {
    problems.push({ field: 'stoplimit', problem: `is required for ${fields.type}` });
  }
  if (!isStopLimitOrder(type) && fields.stoplimit != null) {
    problems.push({ field: 'stoplimit', problem: 'is for stop-limit orders only' });
  }
  if (isMarketOrder(type) && fields.expirationMs !== null) {
    problems.push({ field: 'expiration', problem: 'is for pending orders only' });
  }
  return problems;
}

function fillingOf(given: NonNullable<OrderFields['type_filling']> | null): OrderFilling | null {
  return typeof given === 'string' ? OrderFilling[given] : given;
}
