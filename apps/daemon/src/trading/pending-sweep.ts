import type { OwnedTicket } from '../state/records';
import type { StrategyBook } from './strategy-book';

/** How long after its expiry an order may still rest, in market time: the broker ends it by itself, usually. */
const graceMs = 10_000;

/**
 * The pending orders that have to go, each with why: all of a halted strategy, and those that rest past their expiry.
 * @param marketMs market time of an order's stream, in milliseconds since the epoch
 */
export function sweepable(
  book: StrategyBook,
  marketMs: (stream: string) => number,
): readonly { readonly owned: OwnedTicket; readonly reason: string }[] {
  const { halt } = book.record;
  return book.openTickets
    .filter(({ broker, ticket }) => book.orderRow(broker, ticket) !== undefined)
    .flatMap((owned) => {
      if (halt !== null) return [{ owned, reason: `halted: ${halt.reason}` }];
      const { expiresMs, stream } = owned;
      const isLate = expiresMs !== undefined && marketMs(stream) > expiresMs + graceMs;
      return isLate ? [{ owned, reason: 'its time has passed' }] : [];
    });
}
