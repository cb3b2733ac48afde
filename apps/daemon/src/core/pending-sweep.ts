import type { Quote } from '@libs/strategy';
import { isWorking } from './deal-booking';
import type { OwnedTicket } from './records';
import { isSuperseded, type OrderIntent } from './plan';
import type { Holdings } from './risk';

/** A pending order that is to be cancelled. */
export interface Sweep {
  readonly intent: Extract<OrderIntent, { action: 'cancel' }>;
  readonly reason: string;
}

/** Market time after its expiration for which an order may stay pending: the broker normally removes it. */
const graceMs = 10_000;

/**
 * The pending orders that can be cancelled: not those that a request in flight acts on.
 * @param unread a gateway that refuses its account: its orders are those of the books, if none was shown since the start
 */
export function cancellable({ book, inFlight }: Holdings, unread: string | null = null): readonly OwnedTicket[] {
  const unseen = unread === null ? [] : book.unseen.filter((owned) => owned.broker === unread && isWorking(owned));
  return book.openTickets
    .filter((owned) => book.orderRow(owned.broker, owned.ticket) !== undefined || unseen.includes(owned))
    .filter(({ broker, ticket }) => !inFlight.some((other) => other.broker === broker && other.ticket === ticket));
}

/**
 * The pending orders to cancel: all orders of a halted strategy, those of a group of which another one has filled, and expired
 * ones.
 * @param marketMs market time of the strategy's last event, in milliseconds since the epoch
 * @param quotes the last quote of each stream, by alias: only the market's own time ends an order
 * @param unread the gateway that refused its account just now, if one did
 */
export function sweepsOf(
  holdings: Holdings,
  marketMs: number,
  quotes: Readonly<Record<string, Quote>>,
  unread: string | null = null,
): readonly Sweep[] {
  const { halt } = holdings.book.record;
  return cancellable(holdings, unread).flatMap((owned) => {
    if (halt !== null) return [sweep(owned, `halted: ${halt.reason}`)];
    const { expiresMs, stream } = owned;
    if (isSuperseded(holdings.book.record, owned)) return [superseded(owned)];
    const nowMs = Math.max(marketMs, quotes[stream]?.timeMs ?? 0);
    return expiresMs !== undefined && nowMs > expiresMs + graceMs ? [sweep(owned, 'it has expired')] : [];
  });
}

/** The pending orders to cancel because another order of their group has filled. */
export function supersededSweeps(holdings: Holdings): readonly Sweep[] {
  const { record } = holdings.book;
  if (record.filledOco === undefined) return [];
  return cancellable(holdings).flatMap((owned) => (isSuperseded(record, owned) ? [superseded(owned)] : []));
}

function superseded(owned: OwnedTicket): Sweep {
  return sweep(owned, 'another order of its group has filled');
}

function sweep({ broker, ticket }: OwnedTicket, reason: string): Sweep {
  return { intent: { id: `sweep-${ticket}`, action: 'cancel', order: ticket, broker }, reason };
}
