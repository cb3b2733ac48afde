import { mutation } from '@libs/envelope';
import { sendResultBody } from '../orders/send-result.response';
import type { ClosedPosition } from './close-position.service';
import type { ClosePositionResponse } from './close-position.response';

/** The 200 of a close or partial close. */
export function closeAnswer(closed: ClosedPosition, clientOrderId: string | null): ClosePositionResponse {
  const { position, result, fill, closedVolume, remainingVolume, alreadyClosed } = closed;
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
      state: remainingVolume > 0 ? ('partially_closed' as const) : ('closed' as const),
      position: position.ticket,
      closed_volume: closedVolume,
      remaining_volume: remainingVolume,
      fill_price_source: alreadyClosed ? null : fill.source,
      profit: fill.profit,
      already_closed: alreadyClosed,
      client_order_id: clientOrderId,
    },
  );
}

function messageOf({ position, fill, closedVolume, remainingVolume, alreadyClosed }: ClosedPosition): string {
  if (alreadyClosed) return `position ${position.ticket} was closed already`;
  const what = remainingVolume > 0 ? `${closedVolume} of position` : 'position';
  return `${what} ${position.ticket} closed${fill.price === null ? '' : ` at ${fill.price}`}`;
}
