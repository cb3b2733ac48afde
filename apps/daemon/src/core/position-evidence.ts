import type { PositionRecord } from '@libs/gateway-client';
import { openVolume } from './deal-booking';
import type { OwnedTicket } from './records';

/** A position as a list of the account shows it; undefined where the list lacks it. */
type Shown = Pick<PositionRecord, 'volume'> | undefined;

/**
 * Whether a list of positions contradicts the booked deals: it lacks a position that no deal closed, or shows less of it.
 * A position leaves or shrinks only by a deal. Neither the number of such lists nor time makes it closed.
 */
export function isUnexplained(owned: OwnedTicket, shown: Shown): boolean {
  const open = openVolume(owned);
  return open.gt(0) && open.gt(shown?.volume ?? 0);
}

/**
 * The row of a position to believe: the list's own; else the last one that was shown, with the volume that the booked
 * deals leave open. Undefined when the deals leave nothing open, or no row was ever shown.
 */
export function believedRow(
  owned: OwnedTicket,
  shown: PositionRecord | undefined,
  last: PositionRecord | undefined,
): PositionRecord | undefined {
  if (shown || !last || !isUnexplained(owned, shown)) return shown;
  const volume = openVolume(owned).toNumber();
  return last.volume === volume ? last : { ...last, volume };
}

/** Why entries wait while these tickets are unexplained. */
export function unexplainedReason(tickets: readonly OwnedTicket[]): string | null {
  if (tickets.length === 0) return null;
  const names = tickets.map(({ ticket }) => ticket).join(', ');
  return `account_not_explained: the account lacks volume of position ${names}, and no deal closed it`;
}
