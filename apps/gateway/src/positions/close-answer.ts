import { mutation } from '@libs/envelope';
import { isOnlyAccepted } from '../orders/fill';
import { sendResultBody } from '../orders/send-result.response';
import type { ClosedPosition } from './close-position.service';
import type { ClosePositionResponse } from './close-position.response';

type Closed = Omit<ClosedPosition, 'position'>;

/** The 200 of a close or partial close. */
export function closeAnswer(closed: Closed, clientOrderId: string | null): ClosePositionResponse {
  const { ticket, result, fill, closedVolume, remainingVolume, alreadyClosed } = closed;
  const body = sendResultBody(result);
  return mutation(
    messageOf(closed),
    {
      ...body,
      deal: fill.deal ?? body.deal,
      order: body.order ?? fill.order,
      volume: alreadyClosed ? null : closedVolume,
      price: fill.price,
    },
    {
      state: stateOf(closed),
      position: ticket,
      closed_volume: closedVolume,
      remaining_volume: remainingVolume,
      fill_price_source: alreadyClosed ? null : fill.source,
      profit: fill.profit,
      already_closed: alreadyClosed,
      client_order_id: clientOrderId,
    },
  );
}

function stateOf({ result, fill, remainingVolume }: Closed): ClosePositionResponse['state'] {
  if (isOnlyAccepted(result, fill)) return 'placed';
  return remainingVolume > 0 ? 'partially_closed' : 'closed';
}

function messageOf({ ticket, result, fill, closedVolume, remainingVolume, alreadyClosed }: Closed): string {
  if (isOnlyAccepted(result, fill)) return `the close of position ${ticket} was accepted; no fill was seen yet`;
  if (alreadyClosed) return `position ${ticket} was already closed`;
  const at = fill.price === null ? '' : ` at ${fill.price}`;
  if (remainingVolume === 0) return `position ${ticket} closed${at}`;
  return `${closedVolume} lots of position ${ticket} closed${at}; ${remainingVolume} lots remain open`;
}
