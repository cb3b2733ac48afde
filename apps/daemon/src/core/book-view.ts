import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { PendingOrder, Position, Side, TrailingStop } from '@libs/strategy';
import { isBuyOrder, OrderType, PositionType } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { OwnedTicket, TrailRecord } from './records';

const kinds: Readonly<Record<number, PendingOrder['kind']>> = {
  [OrderType.BUY_STOP]: 'stop',
  [OrderType.SELL_STOP]: 'stop',
  [OrderType.BUY_STOP_LIMIT]: 'stop_limit',
  [OrderType.SELL_STOP_LIMIT]: 'stop_limit',
};

export function sideOf({ type }: PositionRecord): Side {
  return type === PositionType.BUY ? 'buy' : 'sell';
}

/** Unrealized P&L of a position as last reported by the terminal, swap included. */
export function floatingOf({ profit, swap }: PositionRecord): Decimal {
  return new Decimal(profit).plus(swap);
}

/** A position of the books as passed to its strategy. */
export function positionOf({ stream, broker, intentId, tag, trail }: OwnedTicket, row: PositionRecord): Position {
  return {
    ticket: row.ticket,
    stream,
    intentId,
    tag: tag ?? null,
    broker,
    symbol: row.symbol,
    side: sideOf(row),
    volume: row.volume,
    avgPrice: row.price_open,
    sl: row.sl,
    tp: row.tp,
    trail: trail ? termsOf(trail) : null,
    unrealized: row.swap === 0 ? row.profit : floatingOf(row).toNumber(),
    openedAtMs: row.time_utc === null ? null : Date.parse(row.time_utc),
  };
}

/** A trailing stop as passed to its strategy. */
export function termsOf({ distance, step, activateAt }: TrailRecord): TrailingStop {
  return { distance, step, activateAt };
}

/** A pending order of the books as passed to its strategy. */
export function pendingOrderOf(
  { stream, broker, intentId, tag, expiresMs }: OwnedTicket,
  row: OrderRecord,
): PendingOrder {
  return {
    ticket: row.ticket,
    stream,
    intentId,
    tag: tag ?? null,
    broker,
    symbol: row.symbol,
    side: isBuyOrder(row.type) ? 'buy' : 'sell',
    kind: kinds[row.type] ?? 'limit',
    volume: row.volume_current,
    price: row.price_open,
    stoplimit: row.price_stoplimit,
    sl: row.sl,
    tp: row.tp,
    expirationMs: expiresMs ?? null,
  };
}
