import type {
  CloseAllRequest,
  ClosePartialRequest,
  ClosePositionRequest,
  ModifyOrderRequest,
  ModifySlTpRequest,
  OrderRequest,
  OrderSendRequest,
} from './requests';

/** A trade request as sent to the gateway, which a journal must keep to repeat it under its key. */
export interface TradeCall {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** A trade request with the type of its body. */
export interface PostCall<Path extends string, Body> extends TradeCall {
  readonly method: 'POST';
  readonly path: Path;
  readonly body: Body;
}

/** The change of a pending order. */
export interface ModifyOrderCall extends TradeCall {
  readonly method: 'PUT';
  readonly path: `/orders/${number}`;
  readonly body: ModifyOrderRequest;
}

/** The cancellation of a pending order. */
export interface CancelCall extends TradeCall {
  readonly method: 'DELETE';
  readonly path: `/orders/${number}`;
}

/** The calls of the gateway's trade routes, as values. */
export const tradeCalls = {
  order: (request: OrderRequest) => post('/order', request),
  orderSend: (request: OrderSendRequest) => post('/order_send', request),
  modifyOrder: (ticket: number, request: ModifyOrderRequest): ModifyOrderCall => ({
    method: 'PUT',
    path: `/orders/${ticket}`,
    body: request,
  }),
  cancelOrder: (ticket: number): CancelCall => ({ method: 'DELETE', path: `/orders/${ticket}` }),
  modifySlTp: (request: ModifySlTpRequest) => post('/modify_sl_tp', request),
  closePosition: (request: ClosePositionRequest) => post('/close_position', request),
  closePositionPartial: (request: ClosePartialRequest) => post('/position_close_partial', request),
  closeAllPositions: (request: CloseAllRequest) => post('/close_all_positions', request),
} as const;

function post<Path extends string, Body>(path: Path, body: Body): PostCall<Path, Body> {
  return { method: 'POST', path, body };
}
