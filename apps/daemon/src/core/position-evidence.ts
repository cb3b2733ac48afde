import { lostPosition, type Unexplained } from '@libs/account-evidence';
import type { PositionRecord } from '@libs/gateway-client';
import { PositionType } from '@libs/trade-constants';
import { openVolume } from './deal-booking';
import type { OwnedTicket } from './records';

/** A position as a list of the account shows it; undefined where the list lacks it. */
type Shown = Pick<PositionRecord, 'type' | 'volume'> | undefined;

/**
 * What of a position a list lacks although the booked deals left it open, by the rule of the gateway. The books are a second
 * witness: what they hold is not gone before a deal closed it. Null if the list agrees.
 */
export function lackOf(owned: OwnedTicket, shown: Shown): Unexplained | null {
  // The usual case of each step of a backtest, without arithmetic.
  if (shown && owned.volumeOut === '0' && owned.volumeIn === String(shown.volume) && isOnSide(owned, shown))
    return null;
  const open = openVolume(owned);
  if (open.lte(0)) return null;
  const { ticket, symbol } = owned;
  const record = { ticket, symbol, type: typeOf(owned, shown), volume: open.toNumber() };
  // Its deals are booked already: none is left that could explain a difference.
  return lostPosition({ record, toldThrough: Number.POSITIVE_INFINITY }, shown, []);
}

/** Whether a list of positions contradicts the booked deals of a ticket. */
export function isUnexplained(owned: OwnedTicket, shown: Shown): boolean {
  return lackOf(owned, shown) !== null;
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

/** Why entries wait while this is unexplained. */
export function unexplainedReason([first, ...more]: readonly Pick<Unexplained, 'message'>[]): string | null {
  if (!first) return null;
  return `account_not_explained: ${first.message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

function typeOf({ side }: OwnedTicket, shown: Shown): number {
  // Before its first deal, a ticket has no side.
  if (side === undefined) return shown?.type ?? PositionType.BUY;
  return side === 'buy' ? PositionType.BUY : PositionType.SELL;
}

function isOnSide({ side }: OwnedTicket, { type }: NonNullable<Shown>): boolean {
  return side === undefined || (side === 'buy') === (type === PositionType.BUY);
}
