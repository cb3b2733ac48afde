import type { PositionRecord } from '@libs/gateway-client';
import { floatingOf, sideOf } from '../core/book-view';
import { isWorking, openVolume } from '../core/deal-booking';
import type { StrategyBook } from '../core/strategy-book';

/** Digits of a symbol's prices at a gateway; null while they are not known. */
export type DigitsOf = (broker: string, symbol: string) => number | null;

/**
 * The open positions of the status. Before the first snapshot of its gateway, a position has the values of the books;
 * values that only the terminal has are null.
 */
export function positionsOf(book: StrategyBook, digitsOf: DigitsOf): object[] {
  const strategy = book.spec.name;
  const seen = book.held.map(({ owned, position: row }) => ({
    strategy,
    symbol: row.symbol,
    digits: digitsOf(owned.broker, row.symbol),
    broker: owned.broker,
    side: sideOf(row),
    volume: row.volume,
    avgPrice: row.price_open,
    unrealized: floatingOf(row).toNumber(),
    ticket: row.ticket,
    openedAt: timeOf(row),
    sl: row.sl === 0 ? null : row.sl,
    tp: row.tp === 0 ? null : row.tp,
    trail: owned.trail?.distance ?? null,
  }));
  const unseen = book.unseen
    .filter((owned) => openVolume(owned).gt(0))
    .map((owned) => ({
      ...{
        strategy,
        symbol: owned.symbol,
        digits: digitsOf(owned.broker, owned.symbol),
        broker: owned.broker,
        side: owned.side ?? null,
        volume: openVolume(owned).toNumber(),
      },
      ...{ avgPrice: null, unrealized: null, ticket: owned.ticket, openedAt: null, sl: null, tp: null },
      trail: owned.trail?.distance ?? null,
    }));
  return [...seen, ...unseen];
}

/** The pending orders of the status. Before the first snapshot, little more than the ticket is known. */
export function pendingOrdersOf(book: StrategyBook): object[] {
  const unseen = book.unseen.filter(isWorking).map(({ ticket, stream, broker, symbol }) => ({
    ...{ ticket, stream, broker, symbol },
    ...{ side: null, kind: null, volume: null, price: null },
  }));
  return [...book.orders, ...unseen];
}

/** ISO-8601 in UTC; null while the server's offset is unknown, because server time is not an instant without it. */
function timeOf({ time_utc }: PositionRecord): string | null {
  return time_utc === null ? null : new Date(time_utc).toISOString();
}
