import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import { PositionType } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { OwnedTicket } from './records';
import { isWorking, openVolume } from './deal-booking';

/** The rows of a ticket in the last account snapshot; undefined where it has none. */
export interface TicketRows {
  readonly position: Pick<PositionRecord, 'ticket' | 'type' | 'volume'> | undefined;
  readonly order: Pick<OrderRecord, 'volume_initial' | 'volume_current'> | undefined;
}

/**
 * Whether the rows of a ticket agree with its booked deals. If they do not, something happened that is not booked yet.
 * @param knownAs the ticket that its position has by the booked deals: a reversal and a rollover change it
 */
export function agrees(owned: OwnedTicket, { position, order }: TicketRows, knownAs: number): boolean {
  if (isWorking(owned) && !order) return false;
  // The position that an order filled into may be closed already. On a netting account it may also be another one.
  if (order && new Decimal(order.volume_initial).minus(order.volume_current).gt(owned.volumeIn)) return false;
  if (!position) return isWorking(owned) && openVolume(owned).isZero();
  const side = position.type === PositionType.BUY ? 'buy' : 'sell';
  return position.ticket === knownAs && isOpen(owned, position.volume) && (owned.side ?? side) === side;
}

/** Whether so many lots are open by the booked deals. Mostly the texts are the same, and nothing is to be computed. */
function isOpen(owned: OwnedTicket, lots: number): boolean {
  const isSameText = owned.volumeOut === '0' && owned.volumeIn === String(lots);
  return isSameText || openVolume(owned).eq(lots);
}
