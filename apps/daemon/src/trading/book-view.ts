import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { PendingOrder, Position, Side } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { OwnedTicket } from '../state/records';

export function sideOf({ type }: PositionRecord): Side {
  return type === 0 ? 'buy' : 'sell';
}

/** Floating result of a position as the terminal last stated it, swap included. */
export function floatingOf({ profit, swap }: PositionRecord): Decimal {
  return new Decimal(profit).plus(swap);
}

/** A position of the books as its strategy sees it. */
export function positionOf({ stream, broker }: OwnedTicket, row: PositionRecord): Position {
  return {
    ticket: row.ticket,
    stream,
    broker,
    symbol: row.symbol,
    side: sideOf(row),
    volume: row.volume,
    avgPrice: row.price_open,
    sl: row.sl,
    tp: row.tp,
    unrealized: floatingOf(row).toNumber(),
    openedAtMs: row.time_utc === null ? null : Date.parse(row.time_utc),
  };
}

/** A pending order of the books as its strategy sees it. */
export function pendingOrderOf({ stream, broker }: OwnedTicket, row: OrderRecord): PendingOrder {
  return {
    ticket: row.ticket,
    stream,
    broker,
    symbol: row.symbol,
    side: row.type % 2 === 0 ? 'buy' : 'sell',
    kind: row.type <= 3 ? 'limit' : row.type <= 5 ? 'stop' : 'stop_limit',
    volume: row.volume_current,
    price: row.price_open,
  };
}
