import { mutation } from '@libs/envelope';
import { priceText, volumeText } from '@libs/records';
import {
  orderTypeName,
  Retcode,
  TradeAction,
  type OrderSendResult,
  type TradeRequest,
  subtractVolume,
} from '@libs/terminal-client';
import type { Fill } from './fill';
import type { OrderResponse, OrderStateWord } from './order.response';
import { sendResultBody } from './send-result.response';

/** The known facts of an order that the broker accepted. */
export interface PlacedOrder {
  readonly request: TradeRequest;
  readonly result: OrderSendResult;
  /** Ticket of the order; null while unknown. */
  readonly order: number | null;
  /** Null for a pending order, which has none yet. */
  readonly fill: Fill | null;
  /** Ticket of the position, null while unknown or for a pending order. */
  readonly position: number | null;
  /** Null if no such level was requested, or it could not be read back. */
  readonly slConfirmed: boolean | null;
  readonly tpConfirmed: boolean | null;
  readonly clientOrderId: string | null;
  /** Digits of the symbol's prices, for the message; absent if they are not known. */
  readonly digits?: number | undefined;
}

/** The 200 of POST /order. */
export function orderAnswer(placed: PlacedOrder): OrderResponse {
  const { request, fill, clientOrderId } = placed;
  const state = stateOf(placed);
  const filled = state === 'placed' ? 0 : (fill?.volume ?? request.volume);
  const price = state === 'placed' ? null : (fill?.price ?? null);
  const what = `${orderTypeName(request.type)} ${volumeText(request.volume)} ${request.symbol}`;
  return mutation(messageOf(state, what, price && priceText(price, placed.digits)), resultOf(placed), {
    state,
    partial_fill: state === 'partially_executed',
    remaining_volume: subtractVolume(request.volume, filled),
    fill_price_source: state === 'placed' && !fill ? null : (fill?.source ?? 'unresolved'),
    position: placed.position,
    sl_confirmed: placed.slConfirmed,
    tp_confirmed: placed.tpConfirmed,
    client_order_id: clientOrderId,
  });
}

/** 10008 on a market order means accepted with the fill pending: executed only once a fill is seen. */
function stateOf({ request, result, fill }: PlacedOrder): OrderStateWord {
  if (request.action === TradeAction.PENDING) return 'placed';
  const isFilled = fill !== null && fill.source !== 'unresolved';
  if (result.retcode === Retcode.PLACED && !isFilled) return 'placed';
  const volume = fill?.volume ?? request.volume;
  return result.retcode === Retcode.DONE_PARTIAL || volume < request.volume ? 'partially_executed' : 'executed';
}

function resultOf({ result, order, fill }: PlacedOrder): OrderResponse['result'] {
  const body = sendResultBody(result);
  if (!fill) return { ...body, order, price: null };
  return {
    ...body,
    deal: fill.deal ?? body.deal,
    order,
    volume: fill.volume ?? body.volume,
    price: fill.price,
  };
}

function messageOf(state: OrderStateWord, what: string, price: string | number | null): string {
  const at = price === null ? '' : ` at ${price}`;
  switch (state) {
    case 'placed':
      return `${what} placed`;
    case 'executed':
      return `${what} executed${at}`;
    case 'partially_executed':
      return `${what} partially executed${at}`;
  }
}
