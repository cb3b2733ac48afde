import { isClose, type OrderIntent } from './plan';
import type { InFlightRequests } from './in-flight-requests';
import type { OwnedTicket } from './records';
import type { Holdings } from './risk';

/** A position that is to be closed without a decision of the strategy. */
export interface ForcedExit {
  readonly intent: Extract<OrderIntent, { action: 'close' }>;
  readonly reason: string;
}

/** Wait after a close that failed for good: the next one would be refused for the same reason. */
const pauseMs = 30_000;

/**
 * The positions to close now, once a halt flattens the strategy: all that the last account snapshots and the books show. What the books hold and a snapshot lacks is closed by its ticket: no deal has closed it. A position with a close in
 * flight is left to that close, and a close that failed is repeated after {@link pauseMs}.
 * @param unread the gateway that refused its account just now; what was closed there since it was read is not closed again
 */
export function forcedExits(
  { book, inFlight }: Holdings,
  { failedExits, unreadCloses = [] }: Pick<InFlightRequests, 'failedExits' | 'unreadCloses'>,
  nowMs: number,
  unread: string | null = null,
): readonly ForcedExit[] {
  const { halt } = book.record;
  if (halt?.flattens !== true) return [];
  const { unseen } = book;
  const isOf =
    ({ broker, ticket }: Pick<OwnedTicket, 'broker' | 'ticket'>) =>
    (other: { readonly broker: string; readonly ticket: number | null }): boolean =>
      other.broker === broker && other.ticket === ticket;
  const unshown = book.unshown.filter((owned) => owned.broker === unread || !unseen.includes(owned));
  return [...book.held.map(({ owned }) => owned), ...unshown]
    .filter((owned) => !inFlight.some((other) => isClose(other) && isOf(owned)(other)))
    .filter((owned) => !unreadCloses.some(isOf(owned)))
    .filter((owned) => !failedExits.some(([, exit]) => isOf(owned)(exit) && nowMs < exit.atMs + pauseMs))
    .map(({ broker, ticket }) => ({
      intent: { id: `flatten-${ticket}`, action: 'close', position: ticket, broker, volume: null },
      reason: `halted: ${halt.reason}`,
    }));
}
