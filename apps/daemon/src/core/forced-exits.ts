import { isClose, type OrderIntent } from './plan';
import type { InFlightRequests } from './in-flight-requests';
import type { Holdings } from './risk';

/** A position that is to be closed without a decision of the strategy. */
export interface ForcedExit {
  readonly intent: Extract<OrderIntent, { action: 'close' }>;
  readonly reason: string;
}

/** Wait after a close that failed for good: the next one would be refused for the same reason. */
const pauseMs = 30_000;

/**
 * The positions to close now: all positions of a strategy whose halt flattens it, as the last account snapshot shows them. A
 * position with a close in flight is left to that close, and a close that failed is repeated after {@link pauseMs}.
 * @param nowMs milliseconds since the epoch
 */
export function forcedExits(
  { book, inFlight }: Holdings,
  { failedExits }: Pick<InFlightRequests, 'failedExits'>,
  nowMs: number,
): readonly ForcedExit[] {
  const { halt } = book.record;
  if (halt?.flattens !== true) return [];
  const isClosing = (broker: string, ticket: number): boolean =>
    inFlight.some((other) => isClose(other) && other.broker === broker && other.ticket === ticket);
  const hasJustFailed = (broker: string, ticket: number): boolean =>
    failedExits.some(([, exit]) => exit.broker === broker && exit.ticket === ticket && nowMs < exit.atMs + pauseMs);
  return book.held
    .filter(({ owned: { broker, ticket } }) => !isClosing(broker, ticket) && !hasJustFailed(broker, ticket))
    .map(({ owned: { broker, ticket } }) => ({
      intent: { id: `flatten-${ticket}`, action: 'close', position: ticket, broker, volume: null },
      reason: `halted: ${halt.reason}`,
    }));
}
