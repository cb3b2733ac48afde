import { ApiError, mutation } from '@libs/envelope';
import { lotsText, priceText } from '@libs/records';
import { isOnlyAccepted } from '../orders/fill';
import { sendResultBody } from '../orders/send-result.response';
import type { ClosedPosition } from './close-position.service';
import type { PositionClosedResponse } from './close-position.response';

type Closed = Omit<ClosedPosition, 'position'>;

/** The 200 of a close or partial close. */
export function closeAnswer(closed: Closed, clientOrderId: string | null): PositionClosedResponse {
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

function stateOf(closed: Closed): PositionClosedResponse['state'] {
  if (doubtOf(closed) !== null) return 'placed';
  const { remainingVolume } = closed;
  return remainingVolume > 0 ? 'partially_closed' : 'closed';
}

function messageOf(position: Closed): string {
  const { ticket, result, fill, closedVolume, remainingVolume, alreadyClosed, isDoubtful, digits } = position;
  if (isOnlyAccepted(result, fill)) return `the close of position ${ticket} was accepted; no fill was seen yet`;
  if (isDoubtful) return `the broker says that position ${ticket} was closed already; no list shows that yet`;
  if (alreadyClosed) return `position ${ticket} was already closed`;
  const at = fill.price === null ? '' : ` at ${priceText(fill.price, digits)}`;
  if (remainingVolume === 0) return `position ${ticket} closed${at}`;
  return `${lotsText(closedVolume)} of position ${ticket} closed${at}; ${lotsText(remainingVolume, 'lot remains', 'lots remain')} open`;
}

/** Why a position may still be open after its close; null if it is not, or what is left of it is known. */
export function doubtOf({ result, fill, isDoubtful }: Pick<Closed, 'result' | 'fill' | 'isDoubtful'>): ApiError | null {
  if (isOnlyAccepted(result, fill)) return unseen('the broker accepted the close; no fill was seen yet');
  if (!isDoubtful) return null;
  return unseen('the broker says that the position was closed already; no list shows that yet');
}

function unseen(message: string): ApiError {
  return new ApiError('unknown_outcome', message);
}
