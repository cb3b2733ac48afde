import type {
  CloseAllRequest,
  ClosePartialRequest,
  ClosePositionRequest,
  ModifyOrderRequest,
  ModifySlTpRequest,
  OrderRequest,
} from './requests';

/** A trade request as it goes to the gateway: what a journal has to keep in order to repeat it under its key. */
export interface TradeCall {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const post = (path: string, body: unknown): TradeCall => ({ method: 'POST', path, body });

/** The calls of the gateway's trade routes, as values. */
export const tradeCalls = {
  order: (request: OrderRequest): TradeCall => post('/order', request),
  modifyOrder: (ticket: number, request: ModifyOrderRequest): TradeCall => ({
    method: 'PUT',
    path: `/orders/${ticket}`,
    body: request,
  }),
  cancelOrder: (ticket: number): TradeCall => ({ method: 'DELETE', path: `/orders/${ticket}` }),
  modifySlTp: (request: ModifySlTpRequest): TradeCall => post('/modify_sl_tp', request),
  closePosition: (request: ClosePositionRequest): TradeCall => post('/close_position', request),
  closePositionPartial: (request: ClosePartialRequest): TradeCall => post('/position_close_partial', request),
  closeAllPositions: (request: CloseAllRequest): TradeCall => post('/close_all_positions', request),
} as const;
